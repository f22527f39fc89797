/**
 * Long runs, in processes of their own: `node test/sim/campaign.ts [--seeds 10000]` simulates seeds, and
 * `node test/sim/campaign.ts --mutations [--seeds 1000]` puts each bug of `mutations.ts` into the product, says in how many
 * seeds it shows on average, and keeps that in `found.json`.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import PQueue from "p-queue";
import { type Found, keepFound } from "./found.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";

/** The seeds of one process: memory grows with each run, since what a run leaves waits for ever. */
const CHUNK = 100;
/** How many seeds must show a bug that is put in. */
const ENOUGH = 2;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    mutations: { type: "boolean", default: false },
    /** Only the bugs of these numbers. */
    only: { type: "string", multiple: true },
  },
});
const queue = new PQueue({ concurrency: Number(values.jobs) });
const from = Number(values.from);

const run = (...args: readonly string[]) =>
  execa(process.execPath, [join(import.meta.dirname, "run.ts"), ...args], { reject: false, all: true });

/** The seeds from `first` on, in chunks of one process each. */
const chunksOf = (first: number, count: number) =>
  Array.from({ length: Math.ceil(count / CHUNK) }, (_, at) => {
    const start = first + at * CHUNK;
    return { first: start, last: Math.min(start + CHUNK, first + count) - 1 };
  });

async function simulateSeeds(count: number): Promise<boolean> {
  let [failed, simulatedS] = [0, 0];
  const startedAt = performance.now();
  await queue.addAll(
    chunksOf(from, count).map(({ first, last }) => async () => {
      const { all, exitCode } = await run(String(first), String(last));
      simulatedS += Number(/(\d+) s simulated/.exec(all)?.[1] ?? 0);
      if (exitCode === 0) return;
      failed += Number(/(\d+) failed/.exec(all)?.[1] ?? 1);
      console.log(all);
    }),
  );
  const hours = (simulatedS / 3600).toFixed(1);
  const tookS = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${count} seeds, ${failed} failed, ${hours} simulated hours in ${tookS} s`);
  report({ "fleets simulated": count, "simulated hours": hours, "fleets that broke a promise": failed });
  return failed === 0;
}

/** Runs seeds until enough of them show a bug. */
async function find({ name }: Mutation, at: number, most: number): Promise<Found> {
  let [seeds, failed, first, shown] = [0, 0, 0, ""];
  for (const chunk of chunksOf(from, most)) {
    const left = `--failures=${ENOUGH - failed}`;
    const { all } = await run("--mutation", String(at), left, String(chunk.first), String(chunk.last));
    const failures = [...all.matchAll(/^seed (\d+): ([^:\n]*)/gm)];
    const ran = /^(\d+) seeds, \d+ failed/m.exec(all)?.[1];
    if (ran === undefined) throw new Error(all);
    seeds += Number(ran);
    if (failed === 0 && failures[0] !== undefined) [first, shown] = [Number(failures[0][1]), failures[0][2] ?? ""];
    failed += failures.length;
    if (failed >= ENOUGH) break;
  }
  return { name, seeds, failed, first, shown };
}

async function findMutations(most: number): Promise<boolean> {
  const wanted = values.only === undefined ? MUTATIONS : MUTATIONS.filter((_, at) => values.only?.includes(String(at)));
  const found = await queue.addAll(
    wanted.map((mutation) => async () => {
      const one = await find(mutation, MUTATIONS.indexOf(mutation), most);
      keepFound(one);
      const mean = (one.seeds / one.failed).toFixed(1);
      console.log(
        `${one.name}: ${one.failed === 0 ? `NOT found in ${one.seeds} seeds` : `${mean} seeds, ${one.shown}`}`,
      );
      return one;
    }),
  );
  const missed = found.filter(({ failed }) => failed === 0).length;
  console.log(`${found.length} bugs put in, ${missed} not found`);
  const means = found.map(({ seeds, failed }) => seeds / failed);
  report({
    "bugs put in": found.length,
    "not found": missed,
    "seeds until one shows, median": (means.toSorted((one, other) => one - other)[means.length >> 1] ?? 0).toFixed(1),
    "… at most": Math.max(...means).toFixed(1),
  });
  return missed === 0;
}

/** `npm run reliability` finds the figures there. */
function report(figures: Readonly<Record<string, number | string>>): void {
  const file = process.env["ORCHD_REPORT"];
  if (file !== undefined) writeFileSync(file, JSON.stringify(figures));
}

const succeeded = values.mutations
  ? await findMutations(Number(values.seeds ?? 1000))
  : await simulateSeeds(Number(values.seeds ?? 10_000));
process.exit(succeeded ? 0 : 1);
