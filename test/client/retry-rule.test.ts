import t from "tap";
import { DEFAULT_LIMITS } from "../../src/client/limits.ts";
import { type ErrorParts, OrchdError } from "../../src/client/orchd-error.ts";
import { retryWait } from "../../src/client/retry-rule.ts";
import { ENGINE_ERRORS } from "../../src/contract/engine/errors.ts";
import { ORCHESTRATOR_ERRORS } from "../../src/contract/orchestrator/errors.ts";

const wait = (parts: Partial<ErrorParts>, { tries = 1, random = 0, repeatable = true, retryBusy = true } = {}) =>
  retryWait(new OrchdError({ code: "LLM_RATE_LIMITED", message: "", ...parts }), {
    tries,
    random,
    repeatable,
    limits: { ...DEFAULT_LIMITS, retryBusy },
  });

t.test("a rate limit is backed off from 1 s, doubling, with up to a second by chance, five times", async (t) => {
  t.same(
    [1, 2, 3, 4, 5, 6].map((tries) => wait({}, { tries })),
    [1000, 2000, 4000, 8000, 16_000, null],
  );
  t.equal(wait({}, { tries: 3, random: 1 }), 5000);
});

t.test("what the service asks for is the least wait, and one too long is the caller's to know", async (t) => {
  t.equal(wait({ retryAfterS: 20 }), 20_000);
  t.equal(wait({ retryAfterS: 20 }, { tries: 5, random: 0.5 }), 20_500);
  t.equal(wait({ retryAfterS: 0 }), 0);
  t.equal(wait({ retryAfterS: 301 }), null);
});

t.test("each code is tried again as its table says", async (t) => {
  const again = new Set([
    "LLM_RATE_LIMITED",
    "RATE_LIMITED",
    "LLM_PROVIDER_ERROR",
    "SERVICE_UNAVAILABLE",
    "ENGINE_DRAINING",
    "SLEEPING_BUSY",
    "TASK_BUSY",
    "TOO_MANY_READERS",
  ]);
  const engine = Object.entries(ENGINE_ERRORS).filter(([code, { status }]) => wait({ code, status }) !== null);
  t.same(new Set(engine.map(([code]) => code)), again);
  const wrong = Object.entries(ORCHESTRATOR_ERRORS).filter(([code, { status, retry }]) => {
    const now = retry === "once" || retry === "after `Retry-After`" || retry === "after a moment";
    const [first, second] = [wait({ code, status }), wait({ code, status }, { tries: 2 })];
    // Only where it is safe.
    if (code === "LEADER_LOST") return first === null || wait({ code, status }, { repeatable: false }) !== null;
    return (first !== null) !== now || (second !== null) !== (now && retry !== "once");
  });
  t.same(wrong, []);
  t.equal(wait({ code: "TASK_BUSY" }, { retryBusy: false }), null);
  t.equal(wait({ code: "SOMETHING_NEW", status: 500 }), null);
});

t.test("a call that may have been done is repeated only where that is safe", async (t) => {
  for (const code of ["UNREACHABLE", "TIMEOUT"] as const) {
    t.equal(wait({ code }), 1000);
    t.equal(wait({ code }, { repeatable: false }), null);
  }
});

t.test("a proxy's own refusals are waited out; a page of anything else is not", async (t) => {
  for (const status of [429, 502, 503, 504]) t.equal(wait({ code: "BAD_ANSWER", status }), 1000, `${status}`);
  for (const status of [200, 301, 404, 500]) t.equal(wait({ code: "BAD_ANSWER", status }), null, `${status}`);
  t.equal(wait({ code: "BAD_ANSWER", status: 504 }, { repeatable: false }), null);
});
