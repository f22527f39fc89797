import t from "tap";
import {
  EXPECTED_ENGINE_MB,
  UNMEASURED,
  awakeLimit,
  limitForStart,
  withMeasurement,
} from "../../../src/orchestrator/rules/awake-limit.ts";

const GIB = 1024;

t.test("the limit leaves memory for the daemon and PostgreSQL", async (t) => {
  t.equal(awakeLimit(24 * GIB, 40), 588);
  t.equal(awakeLimit(2 * GIB, 40), 25);
  t.equal(awakeLimit(GIB, 40), 12, "half of a small host");
  t.equal(awakeLimit(128, 40), 4, "and some always");
  t.equal(awakeLimit(24 * GIB, 80), 294);
});

const after = (measurements: readonly { readonly mb: number; readonly awake: number }[], from = UNMEASURED) =>
  measurements.reduce((memory, { mb, awake }) => withMeasurement(memory, { sizesMb: [mb, mb, mb], awake }), from);

t.test("the memory of engines counts once it is measured", async (t) => {
  t.same(UNMEASURED, { measuredMb: null, countedMb: EXPECTED_ENGINE_MB });
  t.same(withMeasurement(UNMEASURED, { sizesMb: [], awake: 3 }), UNMEASURED);
  const { countedMb } = after([{ mb: 80, awake: 400 }]);
  t.ok(countedMb > 79 && countedMb <= 80, "at once, when many are awake");
  t.ok(after([{ mb: 80, awake: 1 }]).countedMb < 50, "one alone shares no pages, and counts little");
});

t.test("one engine with a large tool does not change the limit much", async (t) => {
  const { countedMb } = withMeasurement(UNMEASURED, { sizesMb: [40, 40, 40, 40, 40, 40, 40, 4000], awake: 400 });
  t.ok(countedMb < 56, String(countedMb));
});

t.test("the limit follows slowly, and not to and fro", async (t) => {
  const settled = after(Array.from({ length: 30 }, () => ({ mb: 60, awake: 300 })));
  const noisy = Array.from({ length: 100 }, (_, index) => ({ mb: index % 2 === 0 ? 50 : 70, awake: 300 }));
  const limits = new Set<number>();
  let memory = settled;
  for (const one of noisy) {
    memory = after([one], memory);
    limits.add(awakeLimit(24 * GIB, memory.countedMb));
  }
  t.equal(limits.size, 1, "measurements that vary keep it");
  const jumped = after([{ mb: 120, awake: 300 }], settled);
  t.ok(jumped.countedMb < 75, "a jump counts in part");
  const later = after(
    Array.from({ length: 30 }, () => ({ mb: 120, awake: 300 })),
    settled,
  );
  t.ok(later.countedMb > 105, "and what stays counts");
});

t.test("above a limit that has fallen, each start waits for two engines to sleep and not for all", async (t) => {
  t.same(
    [3, 4, 5, 9].map((used) => limitForStart(4, used)),
    [4, 4, 4, 8],
  );
  t.equal(limitForStart(null, 9), null);
});
