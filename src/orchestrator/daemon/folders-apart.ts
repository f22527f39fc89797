import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { DEVICES, ETC, KERNEL, PROGRAMS } from "../../sandbox/rights.ts";
import { InvalidSettings } from "../../shared/environment.ts";
import { hasCode } from "../../shared/error-code.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Config } from "./config.ts";

/** The settings of an installed service, with keys of providers. */
const SERVICE_SETTINGS = "/etc/orchd";

/** The kernel stacks no more. */
const MAX_OVERLAYS = 2;

/** A mount of this process, from `/proc/self/mountinfo`. */
export interface Mount {
  readonly device: string;
  /** The path within the file system of what is mounted. */
  readonly root: string;
  readonly point: string;
  /** The folders whose content an overlay shows. */
  readonly layers: readonly string[];
}

type Folders = Pick<Config, "isolation" | "backend" | "toolReadPaths" | "dataDir" | "backup">;

/**
 * Throws `InvalidSettings` when a folder with secrets overlaps with one that tools may read, by any of its paths: Landlock
 * allows what is below a folder, and so what is mounted there. Without isolation nothing is promised, and it is a warning.
 * Tools of containers and pods see none of these folders.
 */
export function assertFoldersApart(config: Folders, logger: Logger): void {
  if (config.backend !== "process") return;
  const problems = overlaps(config, readMounts());
  if (problems.length === 0) return;
  if (config.isolation !== "off") throw new InvalidSettings(problems);
  logger.warn({ problems }, "tools can read folders with secrets");
}

export function overlaps({ toolReadPaths, dataDir, backup }: Folders, mounts: readonly Mount[]): string[] {
  const secret = [
    { name: "ORCH_DATA_DIR", what: "the data folder", path: dataDir },
    { name: "ORCH_BACKUP_DIR", what: "the folder of backups", path: backup.dir },
    { name: "settings", what: "the folder of the service's settings", path: SERVICE_SETTINGS },
  ];
  const system = [...PROGRAMS, ...ETC, ...KERNEL, ...DEVICES].map((path) => ({ path, isListed: false }));
  // The setting itself is refused for those that contain the data folder.
  const listed = toolReadPaths.filter((path) => !overlap(realPathOf(path), realPathOf(dataDir)));
  const readable = [...system, ...listed.map((path) => ({ path, isListed: true }))];
  const rules = readable.map((rule) => ({ ...rule, places: mountedPaths(realPathOf(rule.path), mounts) }));
  return secret.flatMap(({ name, what, path }) => {
    const real = realPathOf(path);
    const places = allPaths(real, mounts);
    const found = rules.find((rule) => places.some((one) => rule.places.some((other) => overlap(one, other))));
    if (found === undefined) return [];
    const shown = real === path ? path : `${path} (${real})`;
    const fix = found.isListed
      ? "or remove that path from ORCH_TOOL_READ_PATHS"
      : "such as one below /var/lib or a home";
    return [
      `${name}: ${what} ${shown} overlaps with ${found.path}, which tools may read; move it to a folder apart, ${fix}`,
    ];
  });
}

/** Either is the other, or contains it. */
const overlap = (one: string, other: string): boolean => contains(one, other) || contains(other, one);

/** The path without links. A part that does not exist yet stays as it is. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES") || dirname(path) === path) throw error;
    return join(realPathOf(dirname(path)), basename(path));
  }
}

/** All paths at which a folder, or a part of it, is seen: by mounts of its file system and as a layer of overlays. */
function allPaths(path: string, mounts: readonly Mount[], overlays = MAX_OVERLAYS): readonly string[] {
  const own = mountedPaths(path, mounts);
  if (overlays === 0) return own;
  const shown = mounts.flatMap((mount) => shownBy(mount, own, mounts));
  return [...own, ...shown.flatMap((one) => allPaths(one, mounts, overlays - 1))];
}

function mountedPaths(path: string, mounts: readonly Mount[]): readonly string[] {
  const own = mountOf(path, mounts);
  if (own === null) return [path];
  const inside = join(own.root, relative(own.point, path));
  const others = mounts
    .filter(({ device }) => device === own.device)
    .flatMap(({ root, point }) => {
      if (contains(root, inside)) return [join(point, relative(root, inside))];
      return contains(inside, root) ? [point] : [];
    });
  return [path, ...others];
}

/** Where an overlay shows paths. It does not show what is mounted within a layer. */
function shownBy({ layers, point }: Mount, paths: readonly string[], mounts: readonly Mount[]): readonly string[] {
  return layers.flatMap((layer) =>
    paths.flatMap((path) => {
      if (contains(path, layer)) return [point];
      const isSeen = contains(layer, path) && mountOf(path, mounts)?.device === mountOf(layer, mounts)?.device;
      return isSeen ? [join(point, relative(layer, path))] : [];
    }),
  );
}

const mountOf = (path: string, mounts: readonly Mount[]): Mount | null =>
  // Of mounts at the same place the last one is seen.
  mounts.filter(({ point }) => contains(point, path)).reduce<Mount | null>(deeper, null);

const deeper = (found: Mount | null, one: Mount): Mount =>
  found !== null && found.point.length > one.point.length ? found : one;

function readMounts(): readonly Mount[] {
  return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
}

/** `<id> <parent> <major:minor> <root> <mount point> … - <type> <source> <options>`, with blanks as `\040`. */
export const parseMounts = (text: string): readonly Mount[] =>
  text.split("\n").flatMap((line) => {
    const [mount = "", about = ""] = line.split(" - ");
    const [, , device, root, point] = mount.split(" ").map(unescape);
    if (device === undefined || root === undefined || point === undefined) return [];
    const [type, , options = ""] = about.split(" ");
    return [{ device, root, point, layers: type === "overlay" ? layersOf(options) : [] }];
  });

/** The colon between the lower folders is `\\:` in their names. A relative path would be one of whoever mounted it. */
const layersOf = (options: string): readonly string[] =>
  options
    .split(",")
    .map((option) => /^(?:lowerdir|upperdir|datadir)\+?=(.*)$/.exec(option)?.[1] ?? "")
    .flatMap((folders) => unescape(folders).split(/(?<!\\):/))
    .map((folder) => folder.replaceAll(/\\(.)/g, "$1"))
    .filter(isAbsolute)
    .map(realPathOf);

const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 8)));

const contains = (folder: string, path: string): boolean => relative(folder, path).split("/")[0] !== "..";
