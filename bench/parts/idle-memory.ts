import { setTimeout as sleep } from "node:timers/promises";
import { end, residentMiB, startServer } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 3;
const IDLE_MS = 5000;

/** Resident memory of an engine that nobody has called, against the bare server's. */
export async function idleMemory(site: Site): Promise<readonly Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { child } = await startServer("bare-server");
    const { pid } = await site.provision(`idle-${round}`);
    await sleep(IDLE_MS);
    ours.push(residentMiB(pid));
    theirs.push(residentMiB(child.pid ?? 0));
    await end(child);
    await site.destroy(`idle-${round}`);
  }
  return [row("resident memory of an idle engine", { ours, theirs, unit: "MiB", aim: "≤ 2.0" })];
}
