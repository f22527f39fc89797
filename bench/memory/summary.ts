import { ABILITIES } from "./history.ts";
import { type Outcome, namesRounds, scoreOf } from "./score.ts";

/** The figures of one system for one ability, one kind of question, or all that have an answer. */
export interface Summary {
  readonly of: string;
  readonly questions: number;
  readonly at5?: number;
  readonly at10?: number;
  readonly anyAt5?: number;
  readonly allAt5?: number;
  readonly allAt10?: number;
  readonly mrr?: number;
  readonly roundsAt5?: number;
  readonly roundsAt10?: number;
  readonly allRoundsAt5?: number;
  readonly currentFirst?: number;
  /** Share of the questions for which nothing was returned: wanted without an answer, a fault with one. */
  readonly abstained: number;
}

export interface SystemSummary {
  readonly system: string;
  readonly rows: readonly Summary[];
  readonly p50: number;
  readonly p95: number;
  readonly tokensAt5: number;
  readonly tokensAt10: number;
}

export function summarize(system: string, outcomes: readonly Outcome[]): SystemSummary {
  const answerable = outcomes.filter(({ question }) => question.ability !== "abstention");
  const tokens = outcomes.map((outcome) => scoreOf(outcome).tokens);
  const times = outcomes.map(({ ms }) => ms).sort((one, other) => one - other);
  return {
    system,
    rows: [row("overall", answerable), ...ABILITIES.flatMap((ability) => rowsOf(ability, outcomes))],
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p95: times[Math.floor(times.length * 0.95)] ?? 0,
    tokensAt5: mean(tokens.map(({ at5 }) => at5)),
    tokensAt10: mean(tokens.map(({ at10 }) => at10)),
  };
}

/** The ability, and below it its kinds of questions. */
function rowsOf(ability: string, outcomes: readonly Outcome[]): readonly Summary[] {
  const own = outcomes.filter(({ question }) => question.ability === ability);
  const kinds = [...new Set(own.map(({ question }) => question.kind))];
  const ofKind = kinds.map((kind) =>
    row(
      `… ${kind}`,
      own.filter(({ question }) => question.kind === kind),
    ),
  );
  return [row(ability, own), ...ofKind];
}

function row(of: string, outcomes: readonly Outcome[]): Summary {
  const scores = outcomes.map(scoreOf);
  const counted = {
    of,
    questions: outcomes.length,
    abstained: mean(scores.map(({ abstained }) => (abstained ? 1 : 0))),
  };
  if (outcomes.every(({ question }) => question.evidence.length === 0)) return counted;
  const rounds = scores.flatMap((score) => score.rounds ?? []);
  const withRounds = outcomes.filter(({ question }) => namesRounds(question)).length;
  const first = scores.flatMap(({ currentFirst }) => (currentFirst === undefined ? [] : [currentFirst ? 1 : 0]));
  return {
    ...counted,
    at5: mean(scores.map(({ conversations }) => conversations.at5)),
    at10: mean(scores.map(({ conversations }) => conversations.at10)),
    anyAt5: mean(scores.map(({ anyFound }) => anyFound.at5)),
    allAt5: mean(scores.map(({ allFound }) => allFound.at5)),
    allAt10: mean(scores.map(({ allFound }) => allFound.at10)),
    mrr: mean(scores.map(({ reciprocalRank }) => reciprocalRank)),
    ...(rounds.length > 0 && rounds.length === withRounds
      ? {
          roundsAt5: mean(rounds.map(({ at5 }) => at5)),
          roundsAt10: mean(rounds.map(({ at10 }) => at10)),
          allRoundsAt5: mean(rounds.map(({ at5 }) => (at5 === 1 ? 1 : 0))),
        }
      : {}),
    ...(first.length > 0 ? { currentFirst: mean(first) } : {}),
  };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
