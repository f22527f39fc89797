import { setImmediate as nextLoop } from "node:timers/promises";
import t from "tap";
import { ProductQueues } from "../../../src/orchestrator/http/product-queues.ts";

t.test("a product with much to do makes itself wait, and no other", async (t) => {
  const turns = new ProductQueues(1);
  const order: string[] = [];
  const crowd = Array.from({ length: 50 }, () => turns.run("crowd", () => order.push("crowd")));
  await turns.run("other", () => order.push("other"));
  t.ok(order.length <= 3, `the other's turn comes after ${order.length - 1} of the crowd`);
  await Promise.all(crowd);
  t.equal(order.length, 51);
});

t.test("the event loop runs between two turns of a product", async (t) => {
  const turns = new ProductQueues(1);
  const loop = { count: 0, timer: setImmediate(() => undefined) };
  const count = () => {
    loop.count++;
    loop.timer = setImmediate(count);
  };
  loop.timer = setImmediate(count);
  await Promise.all(Array.from({ length: 50 }, () => turns.run("crowd", () => undefined)));
  clearImmediate(loop.timer);
  t.ok(loop.count >= 49, `${loop.count} rounds`);
});

t.test("no more run at once than may, and a failure ends its own turn alone", async (t) => {
  const turns = new ProductQueues(2);
  let [running, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await nextLoop();
    running--;
  };
  const failed = turns.run("product", () => Promise.reject(new Error("mine")));
  await Promise.all([
    t.rejects(failed, { message: "mine" }),
    ...Array.from({ length: 10 }, () => turns.run("product", work)),
  ]);
  t.equal(most, 2);
});
