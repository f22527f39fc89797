import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import t from "tap";
import { currentRequest, withinRequest } from "../../../src/shared/request-context.ts";
import { BootQueue, BootCancelled } from "../../../src/orchestrator/supervision/boot-queue.ts";
import { until } from "../../helpers/until.ts";

/** A boot that lasts until it is opened. */
function gate() {
  const opened = Promise.withResolvers<void>();
  return { work: () => opened.promise, open: opened.resolve };
}

t.test("products share slots fairly, and requested boots go before restarts of the same product", async (t) => {
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

t.test("a requested boot that waits too long is refused with Retry-After; a restart keeps waiting", async (t) => {
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

t.test("a cancelled boot leaves the queue; one with a slot stays", async (t) => {
  const queue = new BootQueue(1);
  const busy = gate();
  const call = new AbortController();
  const first = queue.run({ productId: "x", requested: true, signal: call.signal }, busy.work);
  const second = queue.run({ productId: "x", requested: true, signal: call.signal }, async () =>
    t.fail("it was cancelled"),
  );
  call.abort();
  await t.rejects(second, BootCancelled);
  t.equal(queue.starting, 1);
  busy.open();
  await first;
});

t.test("a queued boot runs in the request context of its own call", async (t) => {
  const queue = new BootQueue(1);
  const seen: (string | undefined)[] = [];
  const asked = (requestId: string) =>
    withinRequest({ requestId, actor: "product", span: NO_SPAN }, () =>
      queue.run({ productId: "p", requested: true }, async () => {
        await Promise.resolve();
        seen.push(currentRequest()?.requestId);
      }),
    );
  await Promise.all(["a", "b", "c"].map(asked));
  t.same(seen, ["a", "b", "c"]);
});

t.test("a failed boot releases its slot", async (t) => {
  const queue = new BootQueue(1);
  await t.rejects(
    queue.run({ productId: "p", requested: true }, () => Promise.reject(new Error("no"))),
    { message: "no" },
  );
  t.equal(await queue.run({ productId: "p", requested: true }, async () => "next"), "next");
});

t.test("a boot that waits for the database releases its slot and acquires one again", async (t) => {
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

t.test("after a released slot a database call is awaited without one", async (t) => {
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

t.test("a failed database call ends the boot without another slot", async (t) => {
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
