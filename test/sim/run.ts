/** Simulates seeds: `node test/sim/run.ts <first> <last>`. */
import "./kernel/replace-modules.ts";
import { installGlobals } from "./kernel/globals.ts";

const real = { now: performance.now.bind(performance) };
const { simulate } = await import("./simulate.ts");
const { makePlan } = await import("./plan.ts");
const { Draws } = await import("./kernel/draws.ts");
installGlobals();

const [first = 1, last = first] = process.argv.slice(2).map(Number);
const startedAt = real.now();
let [steps, ms, failures] = [0, 0, 0];
for (let seed = first; seed <= last; seed++) {
  const outcome = await simulate(makePlan(new Draws(seed)));
  steps += outcome.steps;
  ms += outcome.ms;
  if (first === last) console.log(outcome.trace.join("\n"));
  if (outcome.violation === null) continue;
  failures++;
  console.log(`seed ${seed}: ${outcome.violation.invariant}: ${outcome.violation.detail}`);
}
console.log(`${last - first + 1} seeds, ${failures} failed, ${steps} steps, ${Math.round(ms / 1000)} s simulated, ${Math.round(real.now() - startedAt)} ms`);
process.exit(failures === 0 ? 0 : 1);
