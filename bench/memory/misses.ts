import { type History, textOf } from "./history.ts";
import { type Outcome, scoreOf } from "./score.ts";

/** Prints questions whose answer was not among the first five: to learn from, so never of the held-out half. */
export function misses(outcomes: readonly { readonly history: History; readonly outcome: Outcome }[]): string {
  return outcomes.map(({ history, outcome }) => miss(history, outcome)).join("\n");
}

export function isMiss(outcome: Outcome): boolean {
  const { conversations, abstained, currentFirst } = scoreOf(outcome);
  if (outcome.question.ability === "abstention") return !abstained;
  return conversations.at5 < 1 || currentFirst === false;
}

function miss(history: History, { question, found }: Outcome): string {
  const { id, ability, kind, text, now, evidence, outdated, never } = question;
  const dates = new Map(history.conversations.map((one) => [one.id, one.date.slice(0, 10)]));
  const dated = (round: string): string => `${round} of ${dates.get(round.split("/")[0] ?? "") ?? "?"}`;
  const rounds = new Map(history.conversations.flatMap(({ rounds }) => rounds).map((one) => [one.id, textOf(one)]));
  const around = (round: string, holds: string): string => {
    const whole = rounds.get(round) ?? "";
    const at = whole.toLowerCase().indexOf(holds.toLowerCase());
    return whole.slice(Math.max(0, at - 120), at + 120).replaceAll("\n", " ");
  };
  return [
    `${id} ${ability}/${kind}, asked ${now.slice(0, 10)}: ${text}`,
    ...evidence.map(({ round, holds }) => `  wanted   ${dated(round)}: … ${around(round, holds)} …`),
    ...outdated.map(({ round, holds }) => `  outdated ${dated(round)}: … ${around(round, holds)} …`),
    ...(never.length > 0 ? [`  never said together: ${never.join(", ")}`] : []),
    ...found.hits
      .slice(0, 5)
      .map(
        ({ of, text: read }, index) =>
          `  ${index + 1}. ${of.map(dated).join(", ")}: ${read.slice(0, 160).replaceAll("\n", " ")}`,
      ),
    "",
  ].join("\n");
}
