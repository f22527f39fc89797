import t from "tap";
import { RESTART_RULE, judgeExit } from "../../../src/orchestrator/rules/restart.ts";

const never = { count: 0, windowStartedAt: null };
const judge = (over: Partial<Parameters<typeof judgeExit>[0]> = {}) =>
  judgeExit({ exitCode: 1, healthyForMs: 0, history: never, now: 1_000_000, random: 0, ...over });

t.test("an exit that only an operator can fix is not restarted", async (t) => {
  for (const exitCode of [76, 77, 78]) t.equal(judge({ exitCode, healthyForMs: 3_600_000 }).kind, "give_up");
  for (const exitCode of [0, 1, 69, 71, 73, 74, 75, 137, null])
    t.equal(judge({ exitCode }).kind, "restart", String(exitCode));
});

t.test("the delay doubles from one second to sixty, with up to 25 % jitter", async (t) => {
  let history = { count: 0, windowStartedAt: null as number | null };
  const delays: number[] = [];
  const rule = { ...RESTART_RULE, maxRestarts: 9 };
  for (let crash = 0; crash < 9; crash++) {
    const verdict = judge({ history, rule });
    if (verdict.kind === "restart") delays.push(verdict.delayMs);
    ({ history } = verdict);
  }
  t.same(delays, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  t.match(judge({ random: 1 }), { delayMs: 1250 });
});

t.test("an engine that was healthy for ten seconds restarts at once", async (t) => {
  t.match(judge({ healthyForMs: 10_000 }), { kind: "restart", delayMs: 0 });
  t.match(judge({ healthyForMs: 9999 }), { kind: "restart", delayMs: 1000 });
});

t.test("the sixth crash within ten minutes ends the restarts", async (t) => {
  let history = { count: 0, windowStartedAt: null as number | null };
  const kinds: string[] = [];
  for (let crash = 0; crash < 6; crash++) {
    const verdict = judge({ history, now: 1_000_000 + crash * 100_000 });
    kinds.push(verdict.kind);
    ({ history } = verdict);
  }
  t.same(kinds, ["restart", "restart", "restart", "restart", "restart", "give_up"]);
});

t.test("the history is reset after its window, and after ten healthy minutes", async (t) => {
  const history = { count: 5, windowStartedAt: 1_000_000 };
  t.match(judge({ history, now: 1_600_000 }), { kind: "restart", history: { count: 1, windowStartedAt: 1_600_000 } });
  t.match(judge({ history, now: 1_500_000, healthyForMs: 600_000 }), { kind: "restart", history: { count: 1 } });
  t.equal(judge({ history, now: 1_500_000 }).kind, "give_up");
});
