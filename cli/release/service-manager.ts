import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { CliFailure } from "../exit-codes.ts";
import { nodeFetch } from "../node-fetch.ts";

/** Longer than any TimeoutStartSec of the units: systemd is the one that gives up. */
const RUN_DEADLINE_MS = 70 * 60_000;
/** Longer, since the first start creates a database. */
const READY_DEADLINE_MS = 300_000;
const PROBE_DEADLINE_MS = 2000;
const POLL_MS = 200;

/** The functions of the system that steps need. */
export interface ServiceManager {
  /** Runs a program to its end. Throws with what it printed when it fails. */
  run(program: string, args: readonly string[]): Promise<void>;
  /** The version of the daemon at `url`, or why it is not ready. */
  probe(url: string): Promise<Probe>;
}

interface Probe {
  /** Null while it is not ready. */
  readonly version: string | null;
  readonly problem: string;
}

export const serviceManager: ServiceManager = {
  async run(program, args) {
    const options = { reject: false, stdin: "ignore", all: true, timeout: RUN_DEADLINE_MS } as const;
    const { failed, all, shortMessage } = await execa(program, [...args], options);
    if (failed) throw new CliFailure("unexpected", [shortMessage, all].filter(Boolean).join(": "));
  },
  async probe(url) {
    try {
      const response = await nodeFetch(`${url}/ready`, { signal: AbortSignal.timeout(PROBE_DEADLINE_MS) });
      const { version = null } = (await response.json()) as { version?: string };
      return { version: response.ok ? version : null, problem: `status ${response.status}, version ${version}` };
    } catch (error) {
      return { version: null, problem: error instanceof Error ? error.message : String(error) };
    }
  },
};

/** Waits until the daemon at `url` is ready and has this version. Throws at the deadline. */
export async function awaitReady(
  manager: Pick<ServiceManager, "probe">,
  { url, version, deadlineMs = READY_DEADLINE_MS }: { url: string; version: string; deadlineMs?: number | undefined },
): Promise<void> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const { version: found, problem } = await manager.probe(url);
    if (found === version) return;
    if (Date.now() >= end) throw new CliFailure("timeout", `${url}/ready did not answer as ${version}: ${problem}`);
    await sleep(POLL_MS);
  }
}
