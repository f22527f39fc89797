import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { engineFolder } from "../../src/orchestrator/fleet/folders/engine-folder.ts";
import { ENGINE_LOG } from "../../src/orchestrator/fleet/logs/engine-log.ts";
import { SUPERVISION_STEPS, type Step, WAKE_STEPS } from "../../src/shared/log-step.ts";
import type { StepTimes } from "../report.ts";
import type { Site } from "../site.ts";
import { fallAsleep } from "../sleepers.ts";
import { firstEvent } from "./sleep.ts";

const ROUNDS = 40;
const WARM_UP = 3;
const US_PER_MS = 1000;
const LOGGED_MS = 5000;
/** `BENCH_SPARES=0` shows the steps of a wake that starts a process. */
const SPARES = process.env["BENCH_SPARES"] ?? "1";

type Times = ReadonlyMap<string, number>;

/** Where the time of a wake goes: the steps that daemon and engine log at DEBUG, from the call to the model's answer. */
export async function wakeSteps(site: Site): Promise<readonly StepTimes[]> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon({ ORCH_WARM_ENGINES: SPARES, ORCH_LOG_LEVEL: "debug", ENGINE_LOG_LEVEL: "DEBUG" });
  const engine = await site.provision("steps");
  const log = join(engineFolder(site.dataDir, engine.id), ENGINE_LOG);
  const wakes: Times[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    await fallAsleep(site, engine.user_id);
    await site.sparesReady(Number(SPARES));
    const startUs = nowUs();
    const ms = await firstEvent(engine, round);
    const reached = await stepsSince(startUs, () => `${site.printed}\n${readFileSync(log, "utf8")}`);
    const times = new Map<string, number>([...reached].map(([step, atUs]) => [step, (atUs - startUs) / US_PER_MS]));
    if (round >= WARM_UP) wakes.push(times.set("first event", ms));
  }
  await site.destroy(engine.user_id);
  await site.stopDaemon("SIGTERM");
  await site.startDaemon();
  return [
    ...inOrder(withFirstEvent(Object.keys(WAKE_STEPS)), wakes),
    ...inOrder(Object.keys(SUPERVISION_STEPS), wakes, "process_claimed"),
  ];
}

/** The caller gets it as soon as the turn is stored. */
const withFirstEvent = (steps: readonly string[]): readonly string[] =>
  steps.toSpliced(steps.indexOf("turn_stored") + 1, 0, "first event");

const nowUs = (): number => Number(process.hrtime.bigint()) / US_PER_MS;

/** When each step was first reached. The daemon's last one may come after the first event. */
async function stepsSince(startUs: number, text: () => string): Promise<ReadonlyMap<Step, number>> {
  const all = [...Object.keys(WAKE_STEPS), ...Object.keys(SUPERVISION_STEPS)];
  const deadline = Date.now() + LOGGED_MS;
  for (;;) {
    const found = new Map<Step, number>();
    for (const [line] of text().matchAll(/^\{.*"msg":"reached a step"\}$/gm)) {
      const { step, at_us: atUs } = JSON.parse(line) as { step: Step; at_us: number };
      if (atUs >= startUs && !found.has(step)) found.set(step, atUs);
    }
    const missing = all.filter((step) => !found.has(step as Step));
    if (missing.length === 0) return found;
    if (Date.now() > deadline) throw new Error(`a wake did not log ${missing.join(", ")}`);
    await pause(5);
  }
}

/** `before`: the step before the first one. Omitted: the call. */
function inOrder(steps: readonly string[], wakes: readonly Times[], before?: string): StepTimes[] {
  const at = (wake: Times, step: string | undefined) => (step === undefined ? 0 : (wake.get(step) ?? Number.NaN));
  return steps.map((step, index) => ({
    step: step.replaceAll("_", " "),
    sinceStart: wakes.map((wake) => at(wake, step)),
    own: wakes.map((wake) => at(wake, step) - at(wake, steps[index - 1] ?? before)),
  }));
}
