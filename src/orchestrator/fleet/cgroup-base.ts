import { accessSync, constants, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/** The leaf of the daemon itself, named by `DelegateSubgroup=` of its systemd unit. */
const SUPERVISOR_LEAF = "supervisor";

/** The cgroup in which the daemon may create cgroups. */
export interface CgroupBase {
  readonly path: string;
  /**
   * Whether resource controllers may be enabled for its children. Not when the daemon itself is a member: the kernel
   * allows no processes beside controlled cgroups, so a crashed daemon could not restart there while engines run.
   */
  readonly canLimitMemory: boolean;
}

/** The delegated cgroup (v2) of this process, or null when there is none or it is not writable. */
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

/** As {@link findCgroupBase}, from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`, without the access check. */
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

/** Decodes octal escapes such as `\040` for a blank. */
const decode = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
