import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode } from "../system/error-code.ts";
import { cgroupMount } from "./cgroup-mount.ts";

const FILES = {
  1: { limits: ["memory.limit_in_bytes"], used: "memory.usage_in_bytes", cache: "total_inactive_file" },
  // Beyond memory.high the kernel slows the processes down.
  2: { limits: ["memory.max", "memory.high"], used: "memory.current", cache: "inactive_file" },
} as const;

/** A cgroup whose memory may be limited: the process's own, or one above it. */
export interface MemoryCgroup {
  readonly version: 1 | 2;
  readonly path: string;
}

/** Memory of a cgroup in bytes. */
export interface CgroupMemory {
  readonly limit: number;
  /** What may be used until the limit. Page cache that the kernel can drop counts as available. */
  readonly available: number;
}

/** The cgroups of this process that limit its memory, as `/proc/self/cgroup` and `/proc/self/mountinfo` name them. */
export function memoryCgroups(cgroups: string, mounts: string): readonly MemoryCgroup[] {
  return cgroups.split("\n").flatMap((line) => {
    const [, id = "", names = "", own = ""] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    const version = id === "0" ? 2 : 1;
    if (own === "" || (version === 1 && !names.split(",").includes("memory"))) return [];
    const mount = cgroupMount(own, mounts, version === 2 ? null : "memory");
    return mount === null ? [] : upTo(mount.point, mount.path).map((path) => ({ version, path }) as const);
  });
}

/** The limit that leaves the least memory. Null without a limit. */
export function limitOfCgroups(cgroups: readonly MemoryCgroup[]): CgroupMemory | null {
  const limits = cgroups.map(readMemory).filter((one) => one !== null);
  if (limits.length === 0) return null;
  return {
    limit: Math.min(...limits.map(({ limit }) => limit)),
    available: Math.min(...limits.map(({ available }) => available)),
  };
}

/** Null without a limit. Version 1 tells none as a number above any memory, and its root may have no file. */
function readMemory({ version, path }: MemoryCgroup): CgroupMemory | null {
  const files = FILES[version];
  const limits = files.limits.map((name) => Number(read(join(path, name))));
  const limit = Math.min(...limits.filter((one) => one > 0), Infinity);
  if (limit > Number.MAX_SAFE_INTEGER) return null;
  const used = Number(read(join(path, files.used)) ?? 0);
  const cache = Number(
    new RegExp(`^${files.cache} (\\d+)$`, "m").exec(read(join(path, "memory.stat")) ?? "")?.[1] ?? 0,
  );
  return { limit, available: Math.max(0, limit - Math.max(0, used - cache)) };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENODEV")) return null;
    throw error;
  }
}

/** The folder and those above it, up to the mount point. */
function upTo(point: string, path: string): readonly string[] {
  return path === point || path === dirname(path) ? [path] : [path, ...upTo(point, dirname(path))];
}
