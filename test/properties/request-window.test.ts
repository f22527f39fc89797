import { strict as assert } from "node:assert";
import fc from "fast-check";
import { admit, emptyWindow } from "../../src/orchestrator/rules/request-window.ts";
import { property } from "../helpers/property.ts";

/** Calls of one product, each some time after the one before, at a cost in tenths. */
const calls = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.nat({ max: 500 }), fc.nat({ max: 20_000 }), fc.constant(60_000)),
    tenths: fc.integer({ min: 1, max: 30 }),
  }),
  { maxLength: 60 },
);
const start = fc.integer({ min: 0, max: 2 ** 41 });
const limit = fc.integer({ min: 1, max: 20 });

property("no minute has more than the limit, in tenths without an error", [start, limit, calls], (at, limit, calls) => {
  let [window, now] = [emptyWindow(at), at];
  const admitted: { readonly second: number; readonly tenths: bigint }[] = [];
  for (const { afterMs, tenths } of calls) {
    now += afterMs;
    const verdict = admit(window, limit, now, { cost: tenths / 10 });
    ({ window } = verdict);
    const charged = BigInt(Math.min(tenths, limit * 10));
    if (verdict.admitted) admitted.push({ second: Math.floor(now / 1000), tenths: charged });
    const ofMinute = admitted.filter(({ second }) => second > Math.floor(now / 1000) - 60);
    const used = ofMinute.reduce((sum, one) => sum + one.tenths, 0n);
    assert.ok(used <= BigInt(limit) * 10n, `${used} tenths in the minute before ${now}`);
    if (!verdict.admitted) assert.ok(used + charged > BigInt(limit) * 10n, "a call was refused that had room");
  }
});

property("what remains can be called, and no more", [start, limit, calls], (at, limit, calls) => {
  let [window, now] = [emptyWindow(at), at];
  for (const { afterMs, tenths } of calls) {
    now += afterMs;
    const verdict = admit(window, limit, now, { cost: tenths / 10 });
    ({ window } = verdict);
    let next = verdict;
    for (let left = Math.floor(verdict.remaining); left > 0; left--) {
      next = admit(next.window, limit, now);
      assert.ok(next.admitted);
    }
    assert.ok(!admit(next.window, limit, now).admitted);
  }
});

property(
  "a refused call is admitted after the time that its refusal says, and not before",
  [start, limit, calls],
  (at, limit, calls) => {
    let [window, now] = [emptyWindow(at), at];
    for (const { afterMs, tenths } of calls) {
      now += afterMs;
      const cost = tenths / 10;
      const verdict = admit(window, limit, now, { cost });
      ({ window } = verdict);
      if (verdict.admitted) continue;
      assert.ok(admit(window, limit, now + verdict.resetS * 1000, { cost }).admitted, `after ${verdict.resetS} s`);
      assert.ok(!admit(window, limit, now + (verdict.resetS - 1) * 1000, { cost }).admitted, "and not before");
    }
  },
  {
    examples: [
      [
        0,
        1,
        [
          { afterMs: 60_000, tenths: 1 },
          { afterMs: 1000, tenths: 10 },
        ],
      ],
    ],
  },
);
