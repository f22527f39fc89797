import type { SystemSummary } from "./summary.ts";

/** One table for each system, and one that holds the systems against each other. */
export function table(summaries: readonly SystemSummary[]): string {
  const costs = summaries.map(
    ({ system, p50, p95, tokensAt5, tokensAt10 }) =>
      `| ${system} | ${p50.toFixed(2)} ms | ${p95.toFixed(2)} ms | ${tokensAt5.toFixed(0)} | ${tokensAt10.toFixed(0)} |\n`,
  );
  return [
    ...summaries.map(ofOne),
    `| system | search p50 | p95 | tokens of 5 | of 10 |\n| --- | --- | --- | --- | --- |\n${costs.join("")}`,
  ].join("\n");
}

function ofOne({ system, rows }: SystemSummary): string {
  const head =
    `| ${system} | questions | recall@5 | @10 | any found @5 | all @5 | @10 | MRR | rounds @5 | @10 | all rounds @5 | current first | nothing returned |\n` +
    `| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n`;
  const lines = rows.map((row) => {
    const shares = [
      row.at5,
      row.at10,
      row.anyAt5,
      row.allAt5,
      row.allAt10,
      row.mrr,
      row.roundsAt5,
      row.roundsAt10,
      row.allRoundsAt5,
      row.currentFirst,
    ];
    return `| ${[row.of, row.questions, ...shares.map(figure), figure(row.abstained)].join(" | ")} |\n`;
  });
  return head + lines.join("");
}

const figure = (share: number | undefined): string => (share === undefined ? "–" : share.toFixed(3));
