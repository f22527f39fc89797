import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { type ProcessIdentity, isAlive, sendSignal } from "../../../sandbox/processes.ts";
import { bootId } from "../process/process-identity.ts";

const FILE = "process.json";
const RETRY_MS = 10;
const stored = z.object({ pid: z.int(), startTime: z.string(), bootId: z.string() });

/** Stores which process is the broker, so that a later daemon can end one that does not answer. */
export const recordBroker = (folder: string, { pid, startTime }: ProcessIdentity): void =>
  writeFileSync(join(folder, FILE), JSON.stringify({ pid, startTime, bootId: bootId() }), { mode: 0o600 });

/** The process of an earlier daemon's broker, if it runs. */
export function lastBroker(folder: string): ProcessIdentity | null {
  try {
    const { data } = z.safeParse(stored, JSON.parse(readFileSync(join(folder, FILE), "utf8")));
    return data !== undefined && data.bootId === bootId() && isAlive(data) ? data : null;
  } catch {
    // None was recorded, or not completely.
    return null;
  }
}

/** I3 identity before signal: the pid is of this boot, and its start time is the recorded one. */
export function killBroker(identity: ProcessIdentity): void {
  if (isAlive(identity)) sendSignal(identity.pid, "SIGKILL");
}

/** Waits until the process has exited, at most this long. */
export async function brokerGone(identity: ProcessIdentity, deadlineMs: number): Promise<void> {
  for (const deadline = new Deadline(deadlineMs); isAlive(identity) && !deadline.isOver;) await delay(RETRY_MS);
}
