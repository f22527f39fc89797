import { closeSync, fstatSync, ftruncateSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import type { BrokerOrder } from "../../../contract/broker/broker-order.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { type ProcessIdentity, readIdentity } from "../../../sandbox/processes.ts";
import { openToAppendSync } from "../folders/engine-file.ts";
import type { ProcessExit } from "../engine-backend.ts";

/** The descriptor of the listening socket in the broker. */
export const BROKER_LISTENER = 3;
const LOG = "log";
const MAX_LOG_BYTES = 1024 * 1024;

export interface BrokerProgram {
  readonly nodePath: string;
  /** `dist/orchd-broker.cjs` */
  readonly file: string;
  /** Of the broker's log. */
  readonly folder: string;
  /** Null: the daemon's own user. */
  readonly owner: Owner | null;
}

export interface StartedBroker {
  readonly identity: ProcessIdentity;
  readonly exited: Promise<ProcessExit>;
}

/**
 * Starts the broker in a session of its own, so that it outlives the daemon as engines do. Its secrets go through a pipe,
 * and its environment is empty.
 */
export async function startBroker(
  { nodePath, file, folder, owner }: BrokerProgram,
  { order, listener }: { readonly order: BrokerOrder; readonly listener: number | null },
): Promise<StartedBroker> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const log = openToAppendSync(join(folder, LOG));
  try {
    if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
    const started = execa(nodePath, ["--max-semi-space-size=4", file], {
      cwd: "/",
      env: {},
      extendEnv: false,
      ...owner,
      detached: true,
      cleanup: false,
      // execa accepts any descriptor, but its types only up to 9.
      stdio: ["pipe", log as 3, log as 3, ...(listener === null ? [] : [listener as 3])],
      buffer: false,
      reject: false,
    });
    const { pid } = started;
    if (pid === undefined) {
      const { cause, message } = await started;
      throw cause ?? new Error(message);
    }
    const child = started.nodeChildProcess;
    // A broker that ends before it has read its order is started again.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(order));
    child.unref();
    const exited = new Promise<ProcessExit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    return { identity: readIdentity(pid), exited };
  } finally {
    closeSync(log);
  }
}
