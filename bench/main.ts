/**
 * Measures orchd beside the least program that could do the same, in one run: ratios hold when the machine is noisy,
 * milliseconds do not. Prints the table of bench/README.md; with names, only those parts of it.
 */
import { writeFileSync } from "node:fs";
import { shutdownSignal } from "../src/shared/shutdown-signals.ts";
import { endAll } from "./measure.ts";
import { boot } from "./parts/boot.ts";
import { broker } from "./parts/broker.ts";
import { catalog } from "./parts/catalog.ts";
import { cgroupMoves } from "./parts/cgroup-moves.ts";
import { coldProvision } from "./parts/cold-provision.ts";
import { command } from "./parts/command.ts";
import { consolePage } from "./parts/console-page.ts";
import { crash } from "./parts/crash.ts";
import { deltas } from "./parts/deltas.ts";
import { englishRounds } from "./parts/english-rounds.ts";
import { fleet } from "./parts/fleet.ts";
import { follower } from "./parts/follower.ts";
import { gateway } from "./parts/gateway.ts";
import { idleMemory } from "./parts/idle-memory.ts";
import { inbox } from "./parts/inbox.ts";
import { isolation } from "./parts/isolation.ts";
import { lookUp } from "./parts/look-up.ts";
import { manyRows } from "./parts/many-rows.ts";
import { manyTurns } from "./parts/many-turns.ts";
import { taskLists } from "./parts/tasks.ts";
import { memorySearch } from "./parts/memory-search.ts";
import { memoryWrites } from "./parts/memory-writes.ts";
import { neighbours } from "./parts/neighbours.ts";
import { peer } from "./parts/peer.ts";
import { protocols } from "./parts/protocols.ts";
import { replay } from "./parts/replay.ts";
import { rewind } from "./parts/rewind.ts";
import { schedules } from "./parts/schedules.ts";
import { sleep } from "./parts/sleep.ts";
import { sleepers } from "./parts/sleepers.ts";
import { spareWakes } from "./parts/spare-wakes.ts";
import { spares } from "./parts/spares.ts";
import { streams } from "./parts/streams.ts";
import { toolHook } from "./parts/tool-hook.ts";
import { usage } from "./parts/usage.ts";
import { userTokens } from "./parts/user-tokens.ts";
import { wakeSteps } from "./parts/wake-steps.ts";
import { wakes } from "./parts/wakes.ts";
import { type Row, stepTable, table } from "./report.ts";
import { Site } from "./site.ts";

const PARTS: Readonly<Record<string, (site: Site) => Promise<readonly Row[]>>> = {
  cold: coldProvision,
  lookup: lookUp,
  boot,
  streams,
  gateway,
  tokens: userTokens,
  follower,
  deltas,
  broker,
  inbox,
  hook: toolHook,
  protocols,
  replay,
  turns: manyTurns,
  memory: idleMemory,
  recall: memorySearch,
  english: englishRounds,
  tasks: taskLists,
  notes: memoryWrites,
  rewind,
  isolation,
  command,
  crash,
  moves: cgroupMoves,
  fleet,
  catalog,
  usage,
  console: consolePage,
  sleep,
  schedules,
  rows: manyRows,
  sleepers,
  wakes,
  spares,
  "spare-wakes": spareWakes,
  neighbours,
  peer,
};

/** Shows where the time of a part goes. */
const STEPS = "--steps";

await bench(process.argv.slice(2));

async function bench(wanted: readonly string[]): Promise<void> {
  const names = wanted.length > 0 ? wanted.filter((name) => name !== STEPS) : Object.keys(PARTS);
  const known = wanted.includes(STEPS) ? ["wakes"] : Object.keys(PARTS);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 || names.length === 0) {
    process.stderr.write(`no such part: ${unknown.join(", ")}; there are ${known.join(", ")}\n`);
    process.exitCode = 2;
    return;
  }
  const work = wanted.includes(STEPS) ? printSteps : (site: Site) => measure(site, names);
  const interrupted = shutdownSignal().then((signal) => Promise.reject(new Error(`stopped by ${signal}`)));
  const site = await Site.open();
  try {
    await Promise.race([work(site), interrupted]);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${site.printed}\n${error instanceof Error ? error.stack : String(error)}\n`);
  } finally {
    await endAll();
    await site.close();
  }
}

async function printSteps(site: Site): Promise<void> {
  process.stdout.write(stepTable(await wakeSteps(site)));
}

async function measure(site: Site, names: readonly string[]): Promise<void> {
  const rows: Row[] = [];
  for (const name of names) {
    const began = performance.now();
    rows.push(...((await PARTS[name]?.(site)) ?? []));
    process.stderr.write(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  }
  process.stdout.write(table(rows));
  const report = process.env["ORCHD_REPORT"];
  if (report !== undefined)
    writeFileSync(report, JSON.stringify(Object.fromEntries(rows.map(({ what, ours }) => [what, ours]))));
}
