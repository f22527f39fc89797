import t from "tap";
import { Deadline } from "../../src/shared/deadline.ts";
import { until } from "../helpers/until.ts";

t.test("a deadline is over when its time has passed", async (t) => {
  const [now, later] = [new Deadline(0), new Deadline(60_000)];
  t.same([now.isOver, now.leftMs, later.isOver], [true, 0, false]);
  t.ok(later.leftMs > 0 && later.leftMs <= 60_000);
  const soon = new Deadline(1);
  await until("it is over", () => soon.isOver);
  t.equal(soon.leftMs, 0);
});

t.test("a step of the wall clock neither ends nor prolongs a wait", async (t) => {
  const deadlines = [new Deadline(60_000), new Deadline(0)];
  const { now } = Date;
  for (const stepMs of [-3_600_000, 3_600_000]) {
    Date.now = () => now() + stepMs;
    t.same(
      deadlines.map(({ isOver }) => isOver),
      [false, true],
    );
  }
  Date.now = now;
});
