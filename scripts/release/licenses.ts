import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

/** Writes `licenses/`: those of Node.js, of PostgreSQL with its libraries, and of each npm package in the programs. */
export async function collectLicenses({
  root,
  folder,
  sources,
  nodePackage,
  postgresPackage,
}: {
  readonly root: string;
  readonly folder: string;
  /** The files that the programs were made of, relative to `root`. */
  readonly sources: ReadonlySet<string>;
  readonly nodePackage: string;
  readonly postgresPackage: string;
}): Promise<void> {
  await mkdir(folder);
  const own = (name: string) => readFile(join(import.meta.dirname, name), "utf8");
  // Its file leaves out what is newer in it.
  const node = [await readFile(join(nodePackage, "LICENSE"), "utf8"), await own("node-licenses.txt")];
  await writeFile(join(folder, "node.txt"), node.join("\n"));
  const packager = await readFile(join(postgresPackage, "LICENSE.md"), "utf8");
  await writeFile(
    join(folder, "postgres.txt"),
    `${await own("postgres-licenses.txt")}\n${headed("The npm package of PostgreSQL", packager)}`,
  );
  const texts = await Promise.all(packagesOf(sources).map((path) => licenseOf(join(root, path))));
  await writeFile(join(folder, "npm-packages.txt"), texts.join("\n"));
}

/** The folders of the npm packages that the files are in, sorted. */
function packagesOf(sources: ReadonlySet<string>): readonly string[] {
  const folders = [...sources].map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** The license texts of a package, or the `license` field of its manifest. Throws when it has neither. */
async function licenseOf(folder: string): Promise<string> {
  const { name, version, license, author } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  ) as Manifest;
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file)).sort();
  if (files.length === 0 && license === undefined) throw new Error(`${folder} names no license`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const owner = typeof author === "object" ? author.name : author;
  const short = `License: ${license ?? "as follows"}${owner === undefined ? "" : `\nAuthor: ${owner}`}`;
  return headed(`${name} ${version}`, [short, ...texts].join("\n\n"));
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

const headed = (title: string, text: string): string => `${"=".repeat(80)}\n${title}\n\n${text.trim()}\n`;
