import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../system/error-code.ts";
import { CgroupFolder, writeKernelFile } from "./cgroup-folder.ts";
import { cgroupMount } from "./cgroup-mount.ts";

/** For the process of a unit whose cgroup is divided. */
const HOLDER_LEAF = "holder";

/** The names by which a process finds the cgroup of version 2 that it may divide. */
export interface CgroupNames {
  /** Of a leaf in which a service manager or a container put this process: then the cgroup above it is divided. */
  readonly leaf: string;
  /** Of a unit beside that of this process, whose cgroup is divided first. A process of its own keeps it active. */
  readonly unit: string;
}

/** The controllers whose limits are known here. */
export const CGROUP_CONTROLLERS = ["pids", "memory", "cpu"] as const;
/** A controller, as the kernel names it. */
export type CgroupController = (typeof CGROUP_CONTROLLERS)[number];

/** A cgroup in which this process may create cgroups. */
export interface CgroupHierarchy {
  readonly version: 1 | 2;
  readonly path: string;
  /**
   * The controllers that may be enabled below it. None in version 2 when this process itself is a member: the kernel allows
   * no processes in a cgroup with enabled controllers, so a service manager could not restart it there.
   */
  readonly controllers: readonly CgroupController[];
}

/** The cgroups of this process that it may divide, version 2 first. Both versions may be in use together. */
export function findCgroupHierarchies(names: CgroupNames): readonly CgroupHierarchy[] {
  const found = cgroupHierarchies(
    readFileSync("/proc/self/cgroup", "utf8"),
    readFileSync("/proc/self/mountinfo", "utf8"),
    { ...names, mayMove: mayMoveTo },
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
  { leaf, unit, mayMove }: CgroupNames & { readonly mayMove: (path: string) => boolean },
): readonly CgroupHierarchy[] {
  const found: CgroupHierarchy[] = [];
  const pathOf = (cgroup: string, controller: CgroupController | null) =>
    cgroupMount(cgroup, mounts, controller)?.path ?? null;
  for (const line of cgroups.split("\n")) {
    const [, id = "", listed = "", own = ""] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (own === "" || own.startsWith("/..")) continue;
    const controllers = CGROUP_CONTROLLERS.filter((one) => listed.split(",").includes(one));
    if (id === "0") {
      const isLeaf = basename(own) === leaf;
      const beside = pathOf(join(dirname(own), unit), null);
      const path = pathOf(isLeaf ? dirname(own) : own, null);
      if (beside !== null && mayMove(beside))
        found.unshift({ version: 2, path: beside, controllers: CGROUP_CONTROLLERS });
      else if (path !== null) found.unshift({ version: 2, path, controllers: isLeaf ? CGROUP_CONTROLLERS : [] });
    } else if (controllers[0] !== undefined) {
      const path = pathOf(own, controllers[0]);
      if (path !== null) found.push({ version: 1, path, controllers });
    }
  }
  return found;
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

/** Creates and removes a cgroup. Throws unless the kernel's file system is writable there. */
export function assertCreatable(path: string): void {
  const folder = new CgroupFolder(path);
  folder.remove();
  mkdirSync(path);
  try {
    accessSync(join(path, "cgroup.procs"), constants.W_OK);
  } finally {
    folder.remove();
  }
}

/** Enables the controllers for cgroups below it. Version 2 only: version 1 enables its controllers everywhere. */
export function enableControllers({ version, path, controllers }: CgroupHierarchy): void {
  const file = join(path, "cgroup.subtree_control");
  if (version === 1 || !existsSync(file)) return;
  const enabled = readFileSync(file, "utf8").trim().split(" ");
  const missing = controllers.filter((one) => !enabled.includes(one));
  if (missing.length > 0) moveMembers(path);
  for (const one of missing) writeKernelFile(file, `+${one}`);
}

/** The kernel enables controllers only in a cgroup without processes. The processes of the unit move to a leaf. */
function moveMembers(path: string): void {
  const pids = new CgroupFolder(path).ownPids();
  if (pids.length === 0) return;
  const leaf = new CgroupFolder(join(path, HOLDER_LEAF));
  if (!leaf.exists()) mkdirSync(leaf.path);
  for (const pid of pids) leaf.enter(pid);
}
