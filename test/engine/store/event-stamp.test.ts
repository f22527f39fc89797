import t from "tap";
import { EventStamper } from "../../../src/engine/store/event-stamp.ts";

t.test("a stamp does not depend on the previous event", async (t) => {
  const stamper = new EventStamper();
  const midnight = Date.UTC(2027, 0, 1);
  const times = [0, 7, 42, 999, 1000, midnight - 1, midnight, midnight + 1, midnight - 1, 5, 1_700_000_000_123];
  for (const [index, ts] of times.entries()) {
    for (const taskId of ["one", 'a "quoted" one', "two\u2028lines"]) {
      const stamp = { seq: index + 1, ts, taskId, turnId: `turn_${index % 2}` };
      const text = stamper.stamp('{"text":"word"}', stamp);
      t.strictSame(JSON.parse(text), {
        text: "word",
        ts: new Date(ts).toISOString(),
        seq: stamp.seq,
        task_id: taskId,
        turn_id: stamp.turnId,
      });
      t.notMatch(text, "\u2028", "no line break within a line");
    }
  }
});
