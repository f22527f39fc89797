/**
 * Asks memories about a year of conversations: how much of what was said is found, how fast, and in how many tokens.
 * See README.md beside this file.
 */
import { type Options, options } from "./arguments.ts";
import { ask } from "./ask.ts";
import { type Dataset, DatasetError } from "./datasets/dataset.ts";
import { DATASETS } from "./datasets/datasets.ts";
import { everyday } from "./everyday.ts";
import { generate } from "./generate.ts";
import { type History, tokensOf } from "./history.ts";
import { isMiss, misses } from "./misses.ts";
import { sharedWords } from "./overlap.ts";
import { SPLITS } from "./splits.ts";
import { summarize } from "./summary.ts";
import { SYSTEMS } from "./systems.ts";
import { table } from "./table.ts";

const chosen = options(process.argv.slice(2), SYSTEMS);
if ("wrong" in chosen) {
  process.stderr.write(`${chosen.wrong}\n`);
  process.exitCode = 2;
} else {
  try {
    await bench(chosen, datasetOf(chosen));
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function bench(
  { split, seed, systems, json, showMisses, dataset }: Options,
  { histories, leftOut }: Dataset,
): Promise<void> {
  const summaries = [];
  for (const kind of systems) {
    const outcomes = [];
    for (const history of histories) {
      outcomes.push(...(await ask(kind, history)).map((outcome) => ({ history, outcome })));
    }
    summaries.push(
      summarize(
        kind.name,
        outcomes.map(({ outcome }) => outcome),
      ),
    );
    const missed = outcomes.filter(({ outcome }) => isMiss(outcome)).slice(0, showMisses);
    if (missed.length > 0) (json ? process.stderr : process.stdout).write(`${kind.name} missed\n${misses(missed)}\n`);
  }
  const about = { ...aboutHistories(histories), ...(dataset ? { leftOut } : {}) };
  const source = dataset ? { dataset: dataset.format } : { split, seed };
  const title = dataset?.format ?? `${split}, seed ${seed}`;
  const result = json ? JSON.stringify({ ...source, ...about, systems: summaries }, null, 2) : table(summaries);
  process.stdout.write(json ? `${result}\n` : `${title}: ${JSON.stringify(about)}\n\n${result}`);
}

function datasetOf({ dataset, histories, ...options }: Options): Dataset {
  return dataset
    ? DATASETS[dataset.format](dataset.path, histories)
    : { histories: historiesOf({ histories, ...options }), leftOut: 0 };
}

function historiesOf({
  split,
  seed,
  histories = 10,
  everyday: isEveryday,
  german: isGerman,
}: Omit<Options, "dataset">): readonly History[] {
  if (isGerman) return [everyday("german-dev")];
  if (isEveryday && split !== "german") return [everyday(split)];
  return Array.from({ length: histories }, (_, index) => generate(SPLITS[split], { seed, index }));
}

function aboutHistories(histories: readonly History[]): Readonly<Record<string, number>> {
  const rounds = histories.flatMap(({ conversations }) => conversations.flatMap((one) => one.rounds));
  const { any, all } = sharedWords(histories);
  return {
    histories: histories.length,
    questions: histories.flatMap(({ questions }) => questions).length,
    conversationsEach: Math.round(histories.flatMap((one) => one.conversations).length / histories.length),
    roundsEach: Math.round(rounds.length / histories.length),
    tokensEach: Math.round(rounds.reduce((sum, one) => sum + tokensOf(one.user + one.assistant), 0) / histories.length),
    sharesRareWordWithSomeEvidence: Number(any.toFixed(3)),
    sharesRareWordWithAllEvidence: Number(all.toFixed(3)),
  };
}
