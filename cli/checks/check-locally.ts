import { access, constants, readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { SECRET_FILES } from "../../src/contract/orchestrator/data-dir.ts";
import type { HostCheck } from "../../src/contract/orchestrator/host.ts";
import { failed, passed, warned } from "../../src/contract/orchestrator/host-check.ts";
import { errorCode } from "../../src/shared/error-code.ts";
import { exposedFiles, freeSpace } from "../../src/shared/folder-health.ts";
import type { Settings } from "../settings.ts";

const LOCAL = new Set(["127.0.0.1", "localhost", "[::1]"]);
const LOW_DISK_MB = 512;
const SYSTEMCTL_MS = 5000;

/** Whether the daemon's address is one of this machine. */
export const isLocal = (url: string): boolean => LOCAL.has(URL.parse(url)?.hostname ?? "");

/** Local checks of a daemon that does not answer: service, port, data folder and database. */
export async function checkLocally({ url, dataDir }: Pick<Settings, "url" | "dataDir">): Promise<readonly HostCheck[]> {
  const service = await checkService();
  return [
    ...(service === null ? [] : [service]),
    await checkPort(Number(new URL(url).port || 80)),
    ...(await checkDataFolder(dataDir)),
  ];
}

/** Null if there is no such service. */
async function checkService(): Promise<HostCheck | null> {
  const { stdout, failed: isMissing } = await execa(
    "systemctl",
    ["show", "orchd", "-p", "LoadState,ActiveState,Result"],
    {
      timeout: SYSTEMCTL_MS,
      reject: false,
      stdin: "ignore",
    },
  );
  if (isMissing || !stdout.includes("LoadState=loaded")) return null;
  const state = /^ActiveState=(.*)$/m.exec(stdout)?.[1] ?? "unknown";
  const result = /^Result=(.*)$/m.exec(stdout)?.[1] ?? "unknown";
  return state === "active"
    ? passed("service", "orchd.service is active")
    : failed("service", `orchd.service is ${state} (${result})`, "journalctl -u orchd -n 50; systemctl start orchd");
}

/** Binds the daemon's port: if that succeeds, the daemon is down; otherwise another program may have the port. */
async function checkPort(port: number): Promise<HostCheck> {
  const server = createServer();
  const code = await new Promise<string | null>((resolve) => {
    server.once("error", (error) => resolve(errorCode(error)));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(null)));
  });
  if (code === "EADDRINUSE")
    return warned("port", `a program listens on port ${port}`, `ss -ltnp 'sport = :${port}' shows it`);
  return passed("port", `nothing listens on port ${port}`);
}

async function checkDataFolder(dataDir: string): Promise<readonly HostCheck[]> {
  try {
    await access(dataDir, constants.R_OK | constants.X_OK);
  } catch (error) {
    const fix =
      errorCode(error) === "ENOENT"
        ? "set ORCH_DATA_DIR as for the daemon; the first start of orchd creates the folder"
        : "run orchctl doctor as root, or as the daemon's user";
    return [warned("data", `${dataDir} cannot be read (${errorCode(error)})`, fix)];
  }
  const exposed = await exposedFiles(SECRET_FILES.map((name) => join(dataDir, name)));
  const { freeMb, freePercent } = await freeSpace(dataDir);
  const space = `${freeMb} MB (${freePercent} %) free for ${dataDir}`;
  return [
    freeMb < LOW_DISK_MB
      ? failed("disk", space, `du -xsh ${dataDir}/engines/* | sort -h | tail shows the largest engines`)
      : passed("disk", space),
    exposed.length === 0
      ? passed("permissions", "only the daemon's user can read its keys")
      : failed("permissions", `other users can read ${exposed.join(", ")}`, `chmod 600 ${exposed.join(" ")}`),
    ...(await checkBundledDatabase(dataDir)),
  ];
}

/** Detects a bundled PostgreSQL that still runs after the daemon, by its lock file. */
async function checkBundledDatabase(dataDir: string): Promise<readonly HostCheck[]> {
  const cluster = join(dataDir, "postgres", "data");
  if ((await stat(cluster).catch(() => null)) === null) return [];
  const pid = Number((await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "")).split("\n")[0]);
  const log = join(dataDir, "postgres", "postgres.log");
  return pid > 0 && (await stat(`/proc/${pid}`).catch(() => null)) !== null
    ? [passed("database", `the bundled PostgreSQL runs (pid ${pid})`)]
    : [
        warned(
          "database",
          "the bundled PostgreSQL does not run; orchd starts it",
          `tail -n 50 ${log} shows how it ended`,
        ),
      ];
}
