import { accessSync, closeSync, constants, openSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { hasCode } from "../../shared/error-code.ts";

/** The leaf cgroup of the daemon itself, if the service manager or the container created one. */
const SUPERVISOR_LEAF = "supervisor";
/** The systemd unit that owns the engines' cgroups, beside the daemon's unit. A process of its own keeps it active. */
const ENGINES_UNIT = "orchd-engines.service";

/** The controllers that orchd uses. */
export const CGROUP_CONTROLLERS = ["pids", "memory", "cpu"] as const;
export type CgroupController = (typeof CGROUP_CONTROLLERS)[number];

/** A cgroup in which the daemon may create cgroups. */
export interface CgroupHierarchy {
  readonly version: 1 | 2;
  readonly path: string;
  /**
   * The controllers that may be enabled below it. None in version 2 when the daemon itself is a member: the kernel allows
   * no processes in a cgroup with enabled controllers, so a service manager could not restart the daemon there.
   */
  readonly controllers: readonly CgroupController[];
}

/** The cgroups of this process that it may divide, version 2 first. Both versions may be in use together. */
export function findCgroupHierarchies(): readonly CgroupHierarchy[] {
  const found = cgroupHierarchies(
    readFileSync("/proc/self/cgroup", "utf8"),
    readFileSync("/proc/self/mountinfo", "utf8"),
    mayMoveTo,
  );
  return found.filter(isWritable).map(withAvailableControllers);
}

/**
 * Parses `/proc/self/cgroup` and `/proc/self/mountinfo` for {@link findCgroupHierarchies}, without file access.
 * `mayMove` says whether this process may move its children to a cgroup beside its own.
 */
export function cgroupHierarchies(
  cgroups: string,
  mounts: string,
  mayMove: (path: string) => boolean,
): readonly CgroupHierarchy[] {
  const found: CgroupHierarchy[] = [];
  for (const line of cgroups.split("\n")) {
    const [, id = "", names = "", own = ""] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (own === "" || own.startsWith("/..")) continue;
    const controllers = CGROUP_CONTROLLERS.filter((one) => names.split(",").includes(one));
    if (id === "0") {
      const isLeaf = basename(own) === SUPERVISOR_LEAF;
      const beside = mountedAt(join(dirname(own), ENGINES_UNIT), mounts, null);
      const path = mountedAt(isLeaf ? dirname(own) : own, mounts, null);
      if (beside !== null && mayMove(beside))
        found.unshift({ version: 2, path: beside, controllers: CGROUP_CONTROLLERS });
      else if (path !== null) found.unshift({ version: 2, path, controllers: isLeaf ? CGROUP_CONTROLLERS : [] });
    } else if (controllers[0] !== undefined) {
      const path = mountedAt(own, mounts, controllers[0]);
      if (path !== null) found.push({ version: 1, path, controllers });
    }
  }
  return found;
}

/** The folder of a cgroup, among the mounts of version 2 or of a controller's hierarchy of version 1. */
function mountedAt(cgroup: string, mounts: string, controller: CgroupController | null): string | null {
  for (const line of mounts.split("\n")) {
    const [mount = "", about = ""] = line.split(" - ");
    const [, , , root = "", point = ""] = mount.split(" ").map(decode);
    const [type, , options = ""] = about.split(" ");
    const isMount =
      controller === null ? type === "cgroup2" : type === "cgroup" && options.split(",").includes(controller);
    if (!isMount) continue;
    const inside = relative(root, cgroup);
    if (inside.split("/")[0] !== "..") return resolve(point, inside);
  }
  return null;
}

/** Moving a process also needs write access to the common parent. It is opened, since `access` ignores capabilities. */
const mayMoveTo = (path: string): boolean =>
  isAllowed(() => {
    assertWritable(path);
    closeSync(openSync(join(dirname(path), "cgroup.procs"), constants.O_WRONLY));
  });

const isWritable = ({ path }: CgroupHierarchy): boolean => isAllowed(() => assertWritable(path));

function assertWritable(path: string): void {
  for (const one of [path, join(path, "cgroup.procs")]) accessSync(one, constants.W_OK);
}

function isAllowed(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "EPERM", "EROFS")) return false;
    throw error;
  }
}

/** Version 2 delegates some controllers, or none where version 1 has them. */
function withAvailableControllers(hierarchy: CgroupHierarchy): CgroupHierarchy {
  if (hierarchy.version === 1) return hierarchy;
  const available = readFileSync(join(hierarchy.path, "cgroup.controllers"), "utf8").trim().split(" ");
  return { ...hierarchy, controllers: hierarchy.controllers.filter((one) => available.includes(one)) };
}

/** Decodes octal escapes such as `\040` for a blank. */
const decode = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
