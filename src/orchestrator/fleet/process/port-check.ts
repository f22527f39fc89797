import { createServer } from "node:net";
import { readFileSync, readdirSync } from "node:fs";
import { hasCode } from "../../../shared/error-code.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { delay } from "../../../shared/clock.ts";
import { descriptorTarget, unlessGone } from "../../../sandbox/processes.ts";

const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;

/** Whether an engine can listen on the port now. Tested by listening, since a bind alone may succeed on a used port. */
export function isPortFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      if (hasCode(error, "EADDRINUSE", "EACCES")) resolve(false);
      else reject(error);
    });
    server.listen({ host, port, exclusive: true, backlog: 1 }, () => server.close(() => resolve(true)));
  });
}

/** Waits until the port is free. False when it is still in use after `deadlineMs` milliseconds. */
export async function portFreed(host: string, port: number, deadlineMs: number): Promise<boolean> {
  const deadline = new Deadline(deadlineMs);
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, LAST_POLL_MS)) {
    if (await isPortFree(host, port)) return true;
    const leftMs = deadline.leftMs;
    if (leftMs <= 0) return false;
    await delay(Math.min(waitMs, leftMs));
  }
}

const LISTENING = "0A";

/**
 * The pids that listen on a TCP port of this machine, among readable processes. Reads all open files of all processes, so
 * it is only for error messages.
 */
export function portHolders(port: number): readonly number[] {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeners(table, port)));
  if (sockets.size === 0) return [];
  return list("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => openFiles(pid).some((file) => sockets.has(file)))
    .map(Number);
}

/** The listening sockets of a port, in the notation of `/proc/<pid>/fd`. */
function listeners(table: string, port: number): string[] {
  const rows = (unlessGone(() => readFileSync(table, "utf8")) ?? "").split("\n").map((row) => row.trim().split(/\s+/));
  return rows
    .filter(([, local = "", , state]) => state === LISTENING && Number.parseInt(local.split(":")[1] ?? "", 16) === port)
    .map((row) => `socket:[${row[9]}]`);
}

function openFiles(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  return list(folder).map((file) => descriptorTarget(`${folder}/${file}`));
}

const list = (folder: string): string[] => unlessGone(() => readdirSync(folder)) ?? [];
