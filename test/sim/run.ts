/** Simulates seeds: `node test/sim/run.ts [--trace] [--steps] [--replay] <first> [<last>]`. */
import { parseArgs } from "node:util";
import { installGlobals } from "./kernel/globals.ts";
import { replaceModules } from "./kernel/replace-modules.ts";
import { MUTATIONS } from "./mutations.ts";

const { values, positionals } = parseArgs({
  options: {
    /** Prints what happened in each run. */
    trace: { type: "boolean", default: false },
    /** With every step of the scheduler. */
    steps: { type: "boolean", default: false },
    /** Puts one of the bugs of `mutations.ts` into the product, by its number. */
    mutation: { type: "string" },
    /** Runs each seed twice: the second run must draw what the first one drew. */
    replay: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const mutation = values.mutation === undefined ? null : (MUTATIONS[Number(values.mutation)] ?? null);
replaceModules(mutation);
const clock = performance.now.bind(performance);
const { simulate } = await import("./simulate.ts");
const { makePlan } = await import("./plan.ts");
const { Draws } = await import("./kernel/draws.ts");
const { followBackgroundFailures } = await import("./background-failures.ts");
installGlobals();
followBackgroundFailures();

const [first = 1, last = first] = positionals.map(Number);
const startedAt = clock();
let [steps, ms, failures] = [0, 0, 0];
for (let seed = first; seed <= last; seed++) {
  const plan = makePlan(new Draws(seed));
  const outcome = await simulate(plan, { withSteps: values.steps });
  if (values.replay) await simulate(plan, { expected: outcome.draws });
  steps += outcome.steps;
  ms += outcome.ms;
  if (values.trace || values.steps) console.log(outcome.trace.join("\n"));
  if (outcome.violation === null) continue;
  failures++;
  console.log(`seed ${seed}: ${outcome.violation.invariant}: ${outcome.violation.detail}`);
}
const took = Math.round(clock() - startedAt);
const simulated = Math.round(ms / 1000);
console.log(`${last - first + 1} seeds, ${failures} failed, ${steps} steps, ${simulated} s simulated, ${took} ms`);
process.exit(failures === 0 ? 0 : 1);
