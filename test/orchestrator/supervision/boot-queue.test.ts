import t from "tap";
import { currentRequest, withinRequest } from "../../../src/shared/request-context.ts";
import { BootQueue, BootCancelled } from "../../../src/orchestrator/supervision/boot-queue.ts";
import { until } from "../../helpers/until.ts";

/** A boot that lasts until it is ended. */
function gate() {
  const opened = Promise.withResolvers<void>();
  return { work: () => opened.promise, open: opened.resolve };
}

t.test("products take turns, and what a client waits for goes before a product's own restarts", async (t) => {
  const queue = new BootQueue(1);
  const busy = gate();
  const first = queue.run({ productId: "x", requested: true }, busy.work);
  const order: string[] = [];
  const boot = (productId: string, name: string, requested = true) =>
    queue.run({ productId, requested }, async () => void order.push(name));
  const all = [
    boot("greedy", "greedy restart", false),
    boot("greedy", "greedy 1"),
    boot("greedy", "greedy 2"),
    boot("greedy", "greedy 3"),
    boot("modest", "modest 1"),
    boot("modest", "modest 2"),
  ];
  t.equal(queue.waiting, 6);
  t.equal(queue.starting, 1);
  busy.open();
  await Promise.all([first, ...all]);
  t.same(order, ["greedy 1", "modest 1", "greedy 2", "modest 2", "greedy 3", "greedy restart"]);
});

t.test("a request that waits too long is refused with a time to come back; a restart waits on", async (t) => {
  const queue = new BootQueue(1, 20);
  const busy = gate();
  const first = queue.run({ productId: "x", requested: true }, busy.work);
  let restarted = false;
  const restart = queue.run({ productId: "p", requested: false }, async () => void (restarted = true));
  const refused = queue.run({ productId: "p", requested: true }, async () => t.fail("it never gets its turn"));
  const error = await refused.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  t.match(error, { code: "CAPACITY_EXHAUSTED", retryAfterS: Number });
  t.equal(restarted, false);
  t.equal(queue.waiting, 1);
  busy.open();
  await Promise.all([first, restart]);
  t.equal(restarted, true);
});

t.test("a boot that is called off leaves the queue; one that has begun stays", async (t) => {
  const queue = new BootQueue(1);
  const busy = gate();
  const call = new AbortController();
  const first = queue.run({ productId: "x", requested: true, signal: call.signal }, busy.work);
  const second = queue.run({ productId: "x", requested: true, signal: call.signal }, async () =>
    t.fail("it was called off"),
  );
  call.abort();
  await t.rejects(second, BootCancelled);
  t.equal(queue.starting, 1);
  busy.open();
  await first;
});

t.test("what waited its turn is still done for its own call, not for the one that ended before", async (t) => {
  const queue = new BootQueue(1);
  const seen: (string | undefined)[] = [];
  const asked = (requestId: string) =>
    withinRequest({ requestId, actor: "product" }, () =>
      queue.run({ productId: "p", requested: true }, async () => {
        await Promise.resolve();
        seen.push(currentRequest()?.requestId);
      }),
    );
  await Promise.all(["a", "b", "c"].map(asked));
  t.same(seen, ["a", "b", "c"]);
});

t.test("a boot that fails makes room for the next", async (t) => {
  const queue = new BootQueue(1);
  await t.rejects(
    queue.run({ productId: "p", requested: true }, () => Promise.reject(new Error("no"))),
    { message: "no" },
  );
  t.equal(await queue.run({ productId: "p", requested: true }, async () => "next"), "next");
});

t.test("what waits for the database holds no slot, and takes one again before it goes on", async (t) => {
  const queue = new BootQueue(1);
  const database = gate();
  const order: string[] = [];
  const waiting = queue.run({ productId: "p", requested: false }, async (slot) => {
    await slot.awaitDatabase(database.work());
    order.push("the first goes on");
  });
  const busy = gate();
  const second = queue.run({ productId: "p", requested: false }, async () => {
    order.push("the second has the slot");
    database.open();
    await busy.work();
    order.push("the second is done");
  });
  await until("the second has the slot, and the first waits for it", () => order.length === 1 && queue.waiting === 1);
  busy.open();
  await Promise.all([waiting, second]);
  t.same(order, ["the second has the slot", "the second is done", "the first goes on"]);
});

t.test("a slot that was released is another's, and an answer after that is awaited without one", async (t) => {
  const queue = new BootQueue(1);
  const database = gate();
  const first = queue.run({ productId: "p", requested: true }, async (slot) => {
    slot.release();
    await slot.awaitDatabase(database.work());
  });
  t.equal(await queue.run({ productId: "p", requested: true }, async () => "next"), "next");
  database.open();
  await first;
});

t.test("an answer that fails ends the boot without another turn", async (t) => {
  const queue = new BootQueue(1);
  const database = Promise.withResolvers<void>();
  const first = queue.run({ productId: "p", requested: true }, (slot) => slot.awaitDatabase(database.promise));
  const busy = gate();
  const second = queue.run({ productId: "p", requested: true }, async () => {
    database.reject(new Error("the database is away"));
    await busy.work();
  });
  await t.rejects(first, { message: "the database is away" });
  busy.open();
  await second;
});
