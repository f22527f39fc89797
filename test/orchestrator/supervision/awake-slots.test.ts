import t from "tap";
import { AwakeSlots } from "../../../src/orchestrator/supervision/awake-slots.ts";

const live = (count: number): ReadonlySet<string> =>
  new Set(Array.from({ length: count }, (_, index) => `eng_${index}`));

t.test("spares fit where no engine is awake or starts", async (t) => {
  const slots = new AwakeSlots(5);
  t.equal(slots.room(live(2)), 3);
  t.ok(slots.acquire("eng_new", live(2), 5));
  t.equal(slots.room(live(2)), 2);
  t.equal(slots.room(live(9)), 0);
  slots.release("eng_new");
  t.equal(slots.room(live(2)), 3);
  t.equal(new AwakeSlots(null).room(live(2)), Infinity);
});

t.test("a derived limit follows what engines take, and a set one does not", async (t) => {
  const derived = new AwakeSlots({ memoryMb: 5 * 1024 });
  const set = new AwakeSlots(7);
  t.match(derived, { limit: 102, engineMb: 40 });
  for (const slots of [derived, set]) slots.measure({ sizesMb: [80], awake: 396 });
  t.same([derived.limit, Math.round(derived.engineMb)], [51, 80]);
  t.same([set.limit, Math.round(set.engineMb)], [7, 80]);
});
