import t from "tap";
import { delay } from "../../src/shared/clock.ts";
import { Releasers } from "../../src/shared/releasers.ts";
import { SealedBox } from "../../src/orchestrator/store/sealed-box.ts";
import { SerialLanes } from "../../src/shared/serial-lanes.ts";

t.test("resources are closed in reverse order, once, also after a failure", async (t) => {
  const closed: string[] = [];
  const opened = new Releasers();
  opened.push(() => closed.push("first"));
  opened.push(() => {
    closed.push("second");
    throw new Error("second failed");
  });
  opened.push(() => Promise.resolve(closed.push("third")));
  await t.rejects(opened.release(), { message: "second failed" });
  await t.rejects(opened.release(), { message: "second failed" });
  t.same(closed, ["third", "second", "first"]);
});

t.test("work of one lane runs in order, past a failure; lanes do not wait for each other", async (t) => {
  const lanes = new SerialLanes();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lanes.run("a", async () => {
    await gate.promise;
    order.push("a1");
    throw new Error("a1 failed");
  });
  const second = lanes.run("a", async () => void order.push("a2"));
  await lanes.run("b", async () => void order.push("b1"));
  gate.resolve();
  await t.rejects(first, { message: "a1 failed" });
  await second;
  t.same(order, ["b1", "a1", "a2"]);
});

t.test("a wait ends at once when its signal is aborted, before or during it", async (t) => {
  const abort = new AbortController();
  const waiting = delay(60_000, abort.signal);
  abort.abort();
  t.equal(await waiting, false);
  t.equal(await delay(60_000, abort.signal), false);
});

t.test("a sealed text opens only with its key, unaltered", async (t) => {
  const box = new SealedBox("one secret");
  const sealed = box.seal("LLM_API_KEY=…");
  t.equal(box.open(sealed), "LLM_API_KEY=…");
  t.notOk(sealed.includes("LLM_API_KEY"));
  t.throws(() => new SealedBox("another secret").open(sealed));
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  t.throws(() => box.open(sealed));
});

t.test("a derived token depends on every word and on the secret", async (t) => {
  const box = new SealedBox("one secret");
  t.equal(box.token("control", "eng_1", "i1"), new SealedBox("one secret").token("control", "eng_1", "i1"));
  const others = [
    box.token("control", "eng_1", "i2"),
    box.token("control", "eng_2", "i1"),
    new SealedBox("2").token("control", "eng_1", "i1"),
  ];
  t.notOk(others.includes(box.token("control", "eng_1", "i1")));
});
