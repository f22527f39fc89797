/**
 * `run-shards.ts FIRST LAST` runs seeds, `run-shards.ts --mutations` runs each bug until it is found,
 * `run-shards.ts --arrivals` measures how long 256 shards are divided anew when one more daemon starts.
 */
import { evenAfterArrival } from "./shard-arrival.ts";
import { SHARD_MUTATIONS } from "./shard-mutations.ts";
import { simulateShards } from "./simulate-shards.ts";

const SEEDS_OF_MUTATION = 20;
const ARRIVALS = 5;
const MOST_OTHERS = 9;
const say = (line: string) => process.stdout.write(`${line}\n`);

if (process.argv.includes("--mutations")) {
  for (const mutation of SHARD_MUTATIONS) say(await found(mutation));
} else if (process.argv.includes("--arrivals")) {
  for (let others = 1; others <= MOST_OTHERS; others++) say(await arrival(others));
} else {
  const [first = 1, last = 200] = process.argv.slice(2).map(Number);
  let [answered, moves, failed] = [0, 0, 0];
  for (let seed = first; seed <= last; seed++) {
    const run = await simulateShards(seed);
    answered += run.answered;
    moves += run.moves;
    if (run.violation === null) continue;
    failed++;
    say(`seed ${seed}: ${run.violation.invariant}: ${run.violation.detail}`);
  }
  say(`${last - first + 1} seeds, ${failed} failed, ${answered} calls answered, ${moves} moves`);
  if (failed > 0) process.exitCode = 1;
}

async function found({ name, rules, breaks }: (typeof SHARD_MUTATIONS)[number]): Promise<string> {
  for (let seed = 1; seed <= SEEDS_OF_MUTATION; seed++) {
    const { violation } = await simulateShards(seed, rules);
    if (violation === null) continue;
    if (!breaks.includes(violation.invariant)) process.exitCode = 1;
    return `${name}: seed ${seed}, ${violation.invariant}`;
  }
  process.exitCode = 1;
  return `${name}: not found`;
}

async function arrival(others: number): Promise<string> {
  const runs = [];
  for (let seed = 1; seed <= ARRIVALS; seed++) runs.push(await evenAfterArrival(seed, others));
  const times = runs.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY).toSorted((one, other) => one - other);
  if (runs.some(({ ms }) => ms === null)) process.exitCode = 1;
  const seconds = (ms = Number.NaN): string => (ms / 1000).toFixed(0);
  const [median, longest] = [seconds(times[Math.floor(times.length / 2)]), seconds(times.at(-1))];
  return `daemon ${others + 1} comes: ${runs[0]?.moves} moves, even after ${median} s, longest ${longest} s`;
}
