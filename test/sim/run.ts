/** Simulates seeds: `node test/sim/run.ts [options] <first> [<last>]`, or the plans of files with `--plan`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installGlobals } from "./kernel/globals.ts";
import { replaceModules } from "./kernel/replace-modules.ts";
import { MUTATIONS } from "./mutations.ts";
import type { Plan } from "./plan.ts";
import type { Entry } from "./postgres/transcript.ts";

const { values, positionals } = parseArgs({
  options: {
    /** Prints what happened in each run. */
    trace: { type: "boolean", default: false },
    /** With every step of the scheduler. */
    steps: { type: "boolean", default: false },
    /** Puts one of the bugs of `mutations.ts` into the product, by its number. */
    mutation: { type: "string" },
    /** Stops at this many failures. */
    failures: { type: "string", default: "Infinity" },
    /** Runs each seed twice: the second run must draw what the first one drew. */
    replay: { type: "boolean", default: false },
    /** Shortens each failing plan, and prints it with its trace. */
    shrink: { type: "boolean", default: false },
    /** Writes the shortened plan to this file. */
    save: { type: "string" },
    /** Writes what the server did in each run to a file in this folder. */
    transcripts: { type: "string" },
    /** Runs a plan of a file. */
    plan: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
replaceModules(values.mutation === undefined ? null : (MUTATIONS[Number(values.mutation)] ?? null));
const clock = performance.now.bind(performance);
const { simulate } = await import("./simulate.ts");
const { makePlan } = await import("./plan.ts");
const { shrink } = await import("./shrink.ts");
const { Draws } = await import("./kernel/draws.ts");
const { followBackgroundFailures } = await import("./background-failures.ts");
installGlobals();
followBackgroundFailures();

const totals = { seeds: 0, failed: 0, steps: 0, turns: 0, ms: 0 };
const startedAt = clock();

async function runPlan(name: string, plan: Plan): Promise<boolean> {
  const transcript: Entry[] = [];
  const record = values.transcripts === undefined ? {} : { transcript };
  const outcome = await simulate(plan, { withSteps: values.steps, ...record });
  if (values.transcripts !== undefined)
    writeFileSync(join(values.transcripts, `${name.replaceAll(/\W/g, "-")}.json`), JSON.stringify(transcript));
  if (values.replay) await simulate(plan, { expected: outcome.draws });
  totals.seeds++;
  totals.steps += outcome.steps;
  totals.turns += outcome.turns;
  totals.ms += outcome.ms;
  if (values.trace || values.steps) console.log(outcome.trace.join("\n"));
  if (outcome.violation === null) return true;
  totals.failed++;
  console.log(`${name}: ${outcome.violation.invariant}: ${outcome.violation.detail}`);
  if (!values.shrink && values.save === undefined) return false;
  const shrunk = await shrink(plan, outcome);
  console.log(`shortened to ${shrunk.plan.events.length} events in ${shrunk.runs} runs:`);
  console.log(JSON.stringify(shrunk.plan, null, 2));
  console.log(shrunk.outcome.trace.join("\n"));
  const saved = { invariant: outcome.violation.invariant, found: name, plan: shrunk.plan };
  if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(saved, null, 2)}\n`);
  return false;
}

const enough = Number(values.failures);
const [first = 1, last = first] = positionals.map(Number);
if (values.plan.length === 0)
  for (let seed = first; seed <= last; seed++)
    if (!(await runPlan(`seed ${seed}`, makePlan(new Draws(seed)))) && totals.failed >= enough) break;
for (const file of values.plan) {
  const { plan } = JSON.parse(readFileSync(file, "utf8")) as { readonly plan: Plan };
  if (!(await runPlan(file, plan)) && totals.failed >= enough) break;
}
const took = Math.round(clock() - startedAt);
const { seeds, failed, steps, turns, ms } = totals;
const simulated = `${steps} steps, ${turns} turns, ${Math.round(ms / 1000)} s simulated`;
console.log(`${seeds} seeds, ${failed} failed, ${simulated}, ${took} ms`);
process.exit(failed === 0 ? 0 : 1);
