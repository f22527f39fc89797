import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readIfThere, unlessMissing } from "../../src/shared/files.ts";

const OPT = "/opt/orchd";
const UNIT = /\.(service|socket|slice|target|timer)$/;

/** The paths of an installation below `root`, which is `/` except when an image is built. */
export interface Layout {
  readonly root: string;
  readonly opt: string;
  /** One folder per version. */
  readonly releases: string;
  /** A link to the release that the service runs. */
  readonly current: string;
  /** A link to the previous release, for a rollback. */
  readonly previous: string;
  readonly etc: string;
  readonly environment: string;
  readonly dataDir: string;
}

export const layoutOf = (root: string): Layout => ({
  root,
  opt: join(root, OPT),
  releases: join(root, OPT, "releases"),
  current: join(root, OPT, "current"),
  previous: join(root, OPT, "previous"),
  etc: join(root, "etc/orchd"),
  environment: join(root, "etc/orchd/orchd.env"),
  dataDir: join(root, "var/lib/orchd"),
});

export const releaseFolder = ({ releases }: Layout, version: string): string => join(releases, version);

/** The version that a link of the layout points to. Null without the link. */
export async function linkedVersion(link: string): Promise<string | null> {
  const target = await unlessMissing(readlink(link));
  return target === null ? null : basename(target);
}

/** Creates or replaces a link to a release, atomically. */
export const linkRelease = (link: string, version: string): Promise<void> => placeLink(link, `releases/${version}`);

/** The system links of an installation, each with its target in the current release. */
export async function systemLinks({ root }: Layout, release: string): Promise<ReadonlyMap<string, string>> {
  const units = (await readdir(join(release, "systemd"))).filter((name) => UNIT.test(name)).sort();
  const links = [
    ...units.map((name) => [`etc/systemd/system/${name}`, `systemd/${name}`] as const),
    ["etc/sysusers.d/orchd.conf", "systemd/orchd.sysusers"] as const,
    ["etc/tmpfiles.d/orchd.conf", "systemd/orchd.tmpfiles"] as const,
    ["usr/local/bin/orchctl", "bin/orchctl"] as const,
    ["usr/local/share/man/man1/orchctl.1", "dist/man/orchctl.1"] as const,
  ];
  return new Map(links.map(([file, part]) => [join(root, file), `${OPT}/current/${part}`]));
}

export async function placeLink(link: string, target: string): Promise<void> {
  await mkdir(dirname(link), { recursive: true });
  const draft = join(dirname(link), `.${basename(link)}.new`);
  await rm(draft, { force: true });
  await symlink(target, draft);
  await rename(draft, link);
}

export const hasLink = async (link: string, target: string): Promise<boolean> =>
  (await unlessMissing(readlink(link).catch(notALink))) === target;

/** The file exists and is not a link. */
function notALink(error: NodeJS.ErrnoException): string {
  if (error.code === "EINVAL") return "";
  throw error;
}

/** The settings of the service's environment file, as systemd reads the simple ones: `NAME=value`, perhaps quoted. */
export const readEnvironment = async ({ environment }: Layout): Promise<Readonly<Record<string, string>>> =>
  parseEnvironment((await readIfThere(environment)) ?? "");

export function parseEnvironment(text: string): Readonly<Record<string, string>> {
  const pairs = text
    .split("\n")
    .map((line) => /^\s*([A-Z][A-Z0-9_]*)=(.*?)\s*$/.exec(line))
    .filter((match) => match !== null);
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value.replace(/^(["'])(.*)\1$/, "$2")]));
}

/** The releases that are installed, the newest installation first. */
export async function installedReleases({ releases }: Layout): Promise<readonly string[]> {
  const names = ((await unlessMissing(readdir(releases))) ?? []).filter((name) => !name.startsWith("."));
  const times = await Promise.all(names.map(async (name) => (await lstat(join(releases, name))).mtimeMs));
  const order = new Map(names.map((name, at) => [name, times[at] ?? 0]));
  return names.toSorted((left, right) => (order.get(right) ?? 0) - (order.get(left) ?? 0));
}
