/**
 * Long runs, in processes of their own: `node test/sim/campaign.ts [--seeds 10000]` simulates seeds, and
 * `node test/sim/campaign.ts --mutations [--seeds 2000]` puts each bug of `mutations.ts` into the product and says after
 * how many seeds it was found.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import PQueue from "p-queue";
import { MUTATIONS } from "./mutations.ts";

/** The seeds of one process: memory grows with each run, since what a run leaves waits for ever. */
const CHUNK = 200;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    mutations: { type: "boolean", default: false },
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
  return failed === 0;
}

/** How many seeds it took to find a bug, and what showed it. Null: it was not found. */
async function find(
  mutation: number,
  count: number,
): Promise<{ readonly seeds: number; readonly shown: string } | null> {
  for (const { first, last } of chunksOf(from, count)) {
    const { all } = await run("--mutation", String(mutation), "--first", String(first), String(last));
    const found = /^seed (\d+): ([^:\n]*)/m.exec(all);
    if (found !== null) return { seeds: Number(found[1]) - from + 1, shown: found[2] ?? "" };
    if (!/ 0 failed/.test(all)) throw new Error(all);
  }
  return null;
}

async function findMutations(count: number): Promise<boolean> {
  let missed = 0;
  await queue.addAll(
    MUTATIONS.map(({ name }, at) => async () => {
      const found = await find(at, count);
      if (found === null) missed++;
      console.log(`${name}: ${found === null ? `NOT found in ${count} seeds` : `seed ${found.seeds}, ${found.shown}`}`);
    }),
  );
  console.log(`${MUTATIONS.length} mutations, ${missed} not found`);
  return missed === 0;
}

const succeeded = values.mutations
  ? await findMutations(Number(values.seeds ?? 2000))
  : await simulateSeeds(Number(values.seeds ?? 10_000));
process.exit(succeeded ? 0 : 1);
