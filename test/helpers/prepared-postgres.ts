/**
 * A data folder with the bundled PostgreSQL after its first start. `npm run pretest` runs this file and makes the one that
 * all servers of the tests start with: initdb takes two seconds of CPU time.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const PREPARED = join(root, ".tap/postgres");
const PARTS = ["postgres", "postgres-password", "postgres-daemon-password"];

/** Copies it into a data folder, which the server's user can reach. */
export function copyPostgres(dataDir: string): void {
  if (existsSync(join(dataDir, "postgres")) || !existsSync(PREPARED)) return;
  const { uid, gid } = statSync(dataDir);
  execFileSync("cp", ["-a", ...PARTS.map((name) => join(PREPARED, name)), dataDir]);
  // A daemon of root runs the server as another user, any other daemon as its own.
  if (uid === process.getuid?.()) return;
  execFileSync("chown", ["-R", `${uid}:${gid}`, ...PARTS.map((name) => join(dataDir, name))]);
}

if (import.meta.main) {
  // Not loaded by each test file that copies it.
  const { startBundledPostgres } = await import("../../src/orchestrator/postgres/start-bundled-postgres.ts");
  const { createLogger } = await import("../../src/shared/logger.ts");
  // The server's user can always reach this one.
  const dataDir = mkdtempSync(join(tmpdir(), "orchd-pretest-"));
  try {
    chmodSync(dataDir, 0o711);
    const server = await startBundledPostgres({ installDir: root, dataDir, logger: createLogger("pretest", "warn") });
    await server.stop();
    rmSync(PREPARED, { recursive: true, force: true });
    mkdirSync(join(root, ".tap"), { recursive: true });
    execFileSync("cp", ["-a", dataDir, PREPARED]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
