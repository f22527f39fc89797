import { realpathSync } from "node:fs";
import { connect } from "node:net";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  isAlive,
  listProcesses,
  type ProcessIdentity,
  type ProcessStat,
  readUser,
  sendSignal,
  startArguments,
  unlessGone,
  withDescendants,
} from "../../sandbox/processes.ts";
import { Deadline } from "../../shared/deadline.ts";
import { hasCode } from "../../shared/error-code.ts";

const ANSWER_MS = 2000;
/** An immediate stop takes no longer, unless the server is frozen. */
const QUIT_MS = 5000;
const KILL_MS = 10_000;
const POLL_MS = 50;
/** Length and code of an SSLRequest, the only message that a server answers in each of its states. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * The server process of a data folder, found by its user and its arguments. Null when none runs. A pid file proves
 * nothing: its pid may be that of a zombie or of another program.
 */
export function findPostmaster(data: string, uid: number): ProcessStat | null {
  const folder = unlessGone(() => realpathSync(data));
  if (folder === null) return null;
  const serves = ({ pid }: ProcessStat) => {
    const [program = "", ...rest] = startArguments(pid);
    if (basename(program) !== "postgres" || readUser(pid) !== uid) return false;
    const named = rest[rest.indexOf("-D") + 1] ?? "";
    return unlessGone(() => realpathSync(named)) === folder;
  };
  return listProcesses().find(serves) ?? null;
}

/**
 * Whether a server answers on its socket, also while it recovers or has no free connection. `silent`: a process has the
 * socket and does not answer. `none`: nobody has it.
 */
export function askPostmaster(socketPath: string): Promise<"answers" | "silent" | "none"> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write(SSL_REQUEST));
    const done = (result: "answers" | "silent" | "none") => {
      clearTimeout(late);
      socket.destroy();
      resolve(result);
    };
    const late = setTimeout(() => done("silent"), ANSWER_MS);
    socket.once("data", () => done("answers"));
    // EAGAIN: the queue of connections that nobody accepts is full.
    socket.on("error", (error) => done(hasCode(error, "ENOENT", "ECONNREFUSED") ? "none" : "silent"));
    socket.on("close", () => done("silent"));
  });
}

/**
 * Stops a server immediately, without a checkpoint: its next start recovers from the WAL. One that does not react, such
 * as a frozen one, is killed with its processes. False when a process survives.
 */
export async function endPostmaster(postmaster: ProcessStat): Promise<boolean> {
  const all = withDescendants([postmaster], listProcesses());
  if (!isAlive(postmaster)) return true;
  sendSignal(postmaster.pid, "SIGQUIT");
  if (await areGone(all, QUIT_MS)) return true;
  const left = new Map(
    [...all, ...withDescendants([postmaster], listProcesses())].map((one) => [`${one.pid} ${one.startTime}`, one]),
  );
  for (const one of left.values()) if (isAlive(one)) sendSignal(one.pid, "SIGKILL");
  return areGone([...left.values()], KILL_MS);
}

async function areGone(processes: readonly ProcessIdentity[], deadlineMs: number): Promise<boolean> {
  const end = new Deadline(deadlineMs);
  while (processes.some(isAlive)) {
    if (end.isOver) return false;
    await sleep(POLL_MS);
  }
  return true;
}
