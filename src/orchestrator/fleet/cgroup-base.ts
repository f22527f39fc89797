import { accessSync, constants, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/** Named by `DelegateSubgroup=`: the daemon then has a leaf of its own beside those of the engines. */
const SUPERVISOR_LEAF = "supervisor";

/** Where the daemon may make cgroups. */
export interface CgroupBase {
  readonly path: string;
  /**
   * Whether limits may be switched on for what lies in it. Never where the daemon itself lives: the kernel lets no
   * process beside limited cgroups, so a daemon that died could not be started again there while engines run.
   */
  readonly canLimitMemory: boolean;
}

/** The cgroup (v2) that this process, or the parent it was given, may divide; `null` where there is none. */
export function findCgroupBase(): CgroupBase | null {
  try {
    const base = cgroupBase(readFileSync("/proc/self/cgroup", "utf8"), readFileSync("/proc/self/mountinfo", "utf8"));
    if (base === null) return null;
    for (const path of [base.path, join(base.path, "cgroup.procs")]) accessSync(path, constants.W_OK);
    return base;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "EACCES" || code === "EPERM" || code === "EROFS") return null;
    throw error;
  }
}

/** As {@link findCgroupBase}, from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`, whoever may write there. */
export function cgroupBase(cgroups: string, mounts: string): CgroupBase | null {
  const own = /^0::(\/.*)$/m.exec(cgroups)?.[1];
  if (own === undefined || own.startsWith("/..")) return null;
  const canLimitMemory = basename(own) === SUPERVISOR_LEAF;
  const base = canLimitMemory ? dirname(own) : own;
  for (const line of mounts.split("\n")) {
    const [mount = "", type = ""] = line.split(" - ");
    const [, , , root = "", point = ""] = mount.split(" ").map(decode);
    if (!type.startsWith("cgroup2 ")) continue;
    const inside = relative(root, base);
    if (inside.split("/")[0] !== "..") return { path: resolve(point, inside), canLimitMemory };
  }
  return null;
}

/** Blanks and the like are written as `\040`. */
const decode = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
