import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { errorCode } from "../../../shared/error-code.ts";
import { execa } from "execa";
import { missingCapabilities } from "../../../sandbox/rights.ts";
import { nativeProblem } from "../../../sandbox/sockets.ts";
import { NEEDED_CAPABILITIES } from "./capabilities.ts";

/** What an engine's user must be able to read and enter, tried as one of them. */
export interface EngineUserTrial {
  readonly uids: { readonly min: number; readonly max: number };
  readonly nodePath: string;
  /** Files and folders that engines read. */
  readonly files: readonly string[];
  /** The folder below which engines have theirs. They pass through it. */
  readonly dataDir: string;
}

/** Why a part of the isolation is inactive, and what adds it. */
export interface Missing {
  readonly problem: string;
  readonly fix: string;
}

const TRIAL_MS = 20_000;

/** Prints the groups that are left, and the first path that this user cannot use. */
const TRIAL = `
const fs = require("node:fs"), path = require("node:path");
const [dataDir, ...files] = process.argv.slice(1);
const fails = (file, mode) => { try { fs.accessSync(file, mode); return false; } catch { return true; } };
const above = (file) => file === "/" ? [] : [...above(path.dirname(file)), path.dirname(file)];
const closed = [...files.flatMap(above), ...above(dataDir), dataDir].find((folder) => fails(folder, fs.constants.X_OK));
const unreadable = files.find((file) => fails(file, fs.constants.R_OK));
process.stdout.write(JSON.stringify({ closed, unreadable, groups: process.getgroups() }));
`;

/** Why engines cannot run as users of their own on this host. Null when they can. A trial finds out, not file modes. */
export async function engineUserProblem(trial: EngineUserTrial): Promise<Missing | null> {
  const missing = missingCapabilities(NEEDED_CAPABILITIES);
  const isRoot = process.getuid?.() === 0;
  if (missing.length > 0) {
    return {
      problem: `orchd may not start programs as another user: it lacks ${missing.join(", ")}`,
      fix: isRoot
        ? `give the container ${missing.map((name) => `--cap-add ${name.slice(4)}`).join(" ")}`
        : "start orchd with its systemd unit (AmbientCapabilities=), or as root",
    };
  }
  const native = nativeProblem();
  // Root loses its capabilities when it becomes another user; others keep theirs.
  if (!isRoot && native !== null)
    return {
      problem: `engines would inherit orchd's capabilities: ${native}`,
      fix: "use the Node.js 26 of orchd's packages",
    };
  return tryAs(trial);
}

async function tryAs({ uids, nodePath, files, dataDir }: EngineUserTrial): Promise<Missing | null> {
  const child = execa(nodePath, ["-e", TRIAL, dataDir, ...files], {
    uid: uids.max,
    gid: uids.max,
    cwd: "/",
    env: {},
    extendEnv: false,
    stdin: "ignore",
    stderr: "ignore",
    reject: false,
    timeout: TRIAL_MS,
  });
  // A child that has exited stays in /proc until it is waited for.
  const isVisible = child.pid === undefined || existsSync(`/proc/${child.pid}`);
  const { stdout, failed, cause } = await child;
  if (failed) return spawnProblem(cause, { uids, nodePath });
  if (!isVisible) {
    return {
      problem: "/proc hides the processes of other users (hidepid)",
      fix: "mount -o remount,hidepid=0 /proc",
    };
  }
  const { closed, unreadable, groups } = JSON.parse(stdout) as {
    readonly closed?: string;
    readonly unreadable?: string;
    readonly groups: readonly number[];
  };
  const path = closed ?? unreadable;
  if (path !== undefined) {
    return {
      problem: `other users cannot ${closed === undefined ? "read" : "enter"} ${path}`,
      fix: `install orchd, and keep its data, where other users may enter, or run: chmod o+${closed === undefined ? "r" : "x"} ${path}`,
    };
  }
  return groups.some((group) => group !== uids.max)
    ? { problem: "engines would keep orchd's groups", fix: "allow setgroups in orchd's user namespace" }
    : null;
}

async function spawnProblem(
  cause: unknown,
  { uids, nodePath }: Pick<EngineUserTrial, "uids" | "nodePath">,
): Promise<Missing> {
  const code = errorCode(cause);
  if (code === "EINVAL") {
    return {
      problem: `this container has no user ids up to ${uids.max} (its uid map: ${await uidMap()})`,
      fix: "set ORCH_ENGINE_UID_MIN so that the ids fit, or give the container a larger uid map",
    };
  }
  if (code === "EACCES") {
    return {
      problem: `other users cannot run ${nodePath}`,
      fix: "install orchd where other users may enter, such as /opt/orchd",
    };
  }
  return {
    problem: `a program started as user ${uids.max} failed (${code || "no answer"})`,
    fix: "see whether a security module forbids orchd to change users",
  };
}

/** `/proc/self/uid_map` in one line: ids inside, ids outside, count. */
async function uidMap(): Promise<string> {
  const map = await readFile("/proc/self/uid_map", "utf8").catch(() => "unknown");
  return map
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll(/\s+/g, " "))
    .join(", ");
}
