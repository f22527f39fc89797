import { readFileSync, readdirSync, readlinkSync } from "node:fs";

const LISTENING = "0A";

/**
 * Who listens on a TCP port of this machine, of the processes that we may look into. Walks through all open files of
 * all processes: for telling an operator what went wrong, not for asking often.
 */
export function portHolders(port: number): readonly number[] {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeners(table, port)));
  if (sockets.size === 0) return [];
  return list("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => openFiles(pid).some((file) => sockets.has(file)))
    .map(Number);
}

/** As the open files of a process name them. */
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

/** `null` when it is gone, or is not ours to look at. */
function unlessGone<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
