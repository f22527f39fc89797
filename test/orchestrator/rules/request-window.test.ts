import t from "tap";
import { admit, emptyWindow } from "../../../src/orchestrator/rules/request-window.ts";

t.test("call 601 of a minute is the first refused, and refused calls are not counted", async (t) => {
  let window = emptyWindow(0);
  const verdicts = Array.from({ length: 700 }, () => {
    const verdict = admit(window, 600, 0);
    ({ window } = verdict);
    return verdict;
  });
  t.equal(
    verdicts.findIndex(({ admitted }) => !admitted),
    600,
  );
  t.equal(verdicts[599]?.remaining, 0);
  t.equal(verdicts[0]?.remaining, 599);
  t.equal(admit(window, 600, 60_000).admitted, true, "a minute later the window is empty again");
});

t.test("no window of 60 seconds exceeds the limit", async (t) => {
  let window = emptyWindow(0);
  const admitted: number[] = [];
  for (let now = 0; now < 300_000; now += 137) {
    const verdict = admit(window, 50, now);
    ({ window } = verdict);
    if (verdict.admitted) admitted.push(now);
  }
  for (const start of admitted) t.ok(admitted.filter((at) => at >= start && at < start + 60_000 - 1000).length <= 50);
  t.ok(admitted.length > 200, "most of the limit is used");
});

t.test("a refusal says after how many seconds a call is admitted", async (t) => {
  let window = emptyWindow(0);
  ({ window } = admit(window, 1, 20_500));
  const refused = admit(window, 1, 30_000);
  t.match(refused, { admitted: false, resetS: 50 });
  t.equal(admit(window, 1, 30_000 + refused.resetS * 1000).admitted, true);
});

t.test("a limit of 0 admits nothing; a clock that goes back does no harm", async (t) => {
  t.equal(admit(emptyWindow(0), 0, 0).admitted, false);
  const { window } = admit(emptyWindow(100_000), 1, 100_000);
  t.equal(admit(window, 1, 50_000).admitted, false);
});

t.test("a call consumes its cost and is refused until that much is free", async (t) => {
  let window = emptyWindow(0);
  ({ window } = admit(window, 10, 0));
  ({ window } = admit(window, 10, 10_000, { cost: 8 }));
  t.match(admit(window, 10, 20_000), { admitted: true, remaining: 0 });
  const refused = admit(window, 10, 20_000, { cost: 3 });
  t.match(refused, { admitted: false, remaining: 1, resetS: 50 }, "the call of second 10 has to be a minute old");
  t.equal(admit(window, 10, 20_000 + 49_000, { cost: 3 }).admitted, false);
  t.equal(admit(window, 10, 20_000 + refused.resetS * 1000, { cost: 3 }).admitted, true);
});

t.test("a call that costs more than the whole limit is admitted in an empty window", async (t) => {
  const { window, admitted } = admit(emptyWindow(0), 5, 0, { cost: 8 });
  t.equal(admitted, true);
  t.match(admit(window, 5, 0), { admitted: false, remaining: 0 });
  t.equal(admit(emptyWindow(0), 0, 0, { cost: 8 }).admitted, false);
});

t.test("ten tenths cost one, without an error of binary fractions", async (t) => {
  let window = emptyWindow(0);
  for (let n = 0; n < 100; n++) {
    const verdict = admit(window, 20, n * 400, { part: 0.1 });
    ({ window } = verdict);
    t.equal(verdict.remaining, Math.round((20 - (n + 1) / 10) * 10) / 10);
  }
  t.equal(admit(window, 20, 40_000).remaining, 9);
});

t.test("the parts of a call that costs more than the whole limit fit into an empty window", async (t) => {
  const first = admit(emptyWindow(0), 5, 0, { cost: 8, part: 0.1 });
  t.match(admit(first.window, 5, 0, { cost: 8, part: 0.9 }), { admitted: true, remaining: 0 });
  t.equal(admit(emptyWindow(0), 0, 0, { part: 0.1 }).admitted, false);
});
