import t from "tap";
import { FairQueue } from "../../src/shared/fair-queue.ts";

const named = (name: string) => Object.assign(() => Promise.resolve(name), { title: name });

async function drained(queue: FairQueue): Promise<unknown[]> {
  const order: unknown[] = [];
  for (let run = queue.dequeue(); run !== undefined; run = queue.dequeue()) order.push(await run());
  return order;
}

t.test("a lane that comes late gets the next turn; within a lane priority, then arrival", async (t) => {
  const queue = new FairQueue();
  for (const name of ["a1", "a2", "a3"]) queue.enqueue(named(name), { lane: "a" });
  queue.enqueue(named("a0"), { lane: "a", priority: 1 });
  queue.enqueue(named("b1"), { lane: "b" });
  t.equal(queue.size, 5);
  t.same(await drained(queue), ["a0", "b1", "a1", "a2", "a3"]);
  t.equal(queue.size, 0);
});

t.test("a higher priority goes before every lane of a lower one", async (t) => {
  const queue = new FairQueue();
  queue.enqueue(named("a1"), { lane: "a" });
  queue.enqueue(named("b1"), { lane: "b", priority: 1 });
  queue.enqueue(named("c1"), { lane: "c", priority: 1 });
  queue.enqueue(named("b2"), { lane: "b", priority: 1 });
  t.same(await drained(queue), ["b1", "c1", "b2", "a1"]);
});

t.test("a waiting entry is removed by its id or its function; a priority can change", async (t) => {
  const queue = new FairQueue();
  const gone = named("gone");
  queue.enqueue(gone, { lane: "a" });
  queue.enqueue(named("first"), { lane: "a", id: "x" });
  queue.enqueue(named("second"), { lane: "a", id: "y" });
  queue.remove(gone);
  queue.setPriority("y", 5);
  t.equal(queue.filter({ priority: 5 }).length, 1);
  queue.remove("x");
  queue.remove("nobody");
  t.throws(() => queue.setPriority("nobody", 1), ReferenceError);
  t.same(await drained(queue), ["second"]);
});
