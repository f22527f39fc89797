import { setTimeout as sleep } from "node:timers/promises";
import { startEngine } from "../engine.ts";
import { end, residentMiB, startServer } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 3;
const IDLE_MS = 5000;
/** The first engine compiles what the others find. */
const WARM_UP = 1;
const ANTHROPIC = { LLM_PROVIDER: "anthropic", LLM_API_KEY: "none" };

/** Resident memory of engines that nobody has called, against the bare server's: one scripted, one with a provider's package. */
export async function idleMemory(site: Site): Promise<readonly Row[]> {
  const ours: number[] = [];
  const withProvider: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const { child } = await startServer("bare-server.cjs");
    const { pid } = await site.provision(`idle-${round}`);
    const anthropic = await startEngine(site, ANTHROPIC);
    await sleep(IDLE_MS);
    if (round >= WARM_UP) {
      ours.push(residentMiB(pid));
      withProvider.push(residentMiB(anthropic.pid));
      theirs.push(residentMiB(child.pid ?? 0));
    }
    await end(child);
    await anthropic.stop();
    await site.destroy(`idle-${round}`);
  }
  return [
    row("resident memory of an idle engine", { ours, theirs, unit: "MiB", aim: "≤ 1.7" }),
    row("… with the package of Anthropic", { ours: withProvider, theirs, unit: "MiB", aim: "≤ 1.7" }),
  ];
}
