import { readFileSync, readdirSync, readlinkSync } from "node:fs";

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
  return list(folder).map((file) => unlessGone(() => readlinkSync(`${folder}/${file}`)) ?? "");
}

const list = (folder: string): string[] => unlessGone(() => readdirSync(folder)) ?? [];

/** Null when the path is gone or not readable. */
function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
