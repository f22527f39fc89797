/** What a release has besides its archive: the clients, the chart and the images, with sums and provenance. */
import { execFile } from "node:child_process";
import { copyFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { provenanceOf } from "./provenance.ts";
import { sha256, writeArchive } from "./write-archive.ts";

const run = promisify(execFile);

export interface Publishable {
  readonly root: string;
  /** The folder of the release. Its archive is there. */
  readonly out: string;
  readonly version: string;
  /** Of all files, in seconds since the epoch. */
  readonly time: number;
  /** Where the images will be pushed, such as `registry.example.com/team`; null: no image is made. */
  readonly images: string | null;
}

/** Adds everything to the folder. Returns the references of the images. */
export async function makePublishable(release: Publishable): Promise<readonly string[]> {
  const { root, out } = release;
  // The build was made by `npm run package`.
  const pack = ["pack", "--workspace", "@orchd/client", "--ignore-scripts", "--pack-destination", out];
  await run("npm", pack, { cwd: root });
  await copyFile(join(root, "clients/python/orchd.py"), join(out, "orchd.py"));
  await packChart(release);
  const images = release.images === null ? [] : await buildImages(release, release.images);
  await writeSums(release);
  return images;
}

/** As `helm package` does it, whose archive holds a folder with the name of the chart. */
async function packChart({ root, out, time }: Publishable): Promise<void> {
  const source = join(root, "deploy/helm/orchd");
  const { name, version } = parse(await readFile(join(source, "Chart.yaml"), "utf8")) as Record<string, string>;
  const staging = await mkdtemp(join(out, ".chart-"));
  try {
    const folder = join(staging, String(name));
    await cp(source, folder, { recursive: true });
    const file = join(out, `${name}-${version}.tgz`);
    await writeArchive(folder, { file, time, level: 9 });
    // It is in SHA256SUMS.
    await rm(`${file}.sha256`);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The images of the release's archive, tagged with where they will be pushed. */
async function buildImages({ root, out, version }: Publishable, prefix: string): Promise<readonly string[]> {
  const [archive] = (await readdir(out)).filter((name) => /^orchd-.*-linux-.*\.tar\.gz$/.test(name));
  if (archive === undefined) throw new Error(`${out} has no release archive to make images of`);
  const { stdout: commit } = await run("git", ["-C", root, "rev-parse", "HEAD"]);
  // The folder of the release is the context: it has the archive and nothing secret.
  const shared = ["--file", join(root, "Dockerfile"), "--build-arg", `RELEASE=${archive}`];
  const labels = ["--build-arg", `VERSION=${version}`, "--build-arg", `REVISION=${commit.trim()}`];
  const references: string[] = [];
  for (const target of ["orchd", "orchd-engine"]) {
    // A tag has no plus sign.
    const reference = `${prefix}/${target}:${version.replaceAll("+", "-")}`;
    await run("docker", ["build", "--target", target, "--tag", reference, ...shared, ...labels, out]);
    references.push(reference);
  }
  return references;
}

const WRITTEN_LAST = ["SHA256SUMS", "provenance.json"];

async function writeSums({ root, out, version }: Publishable): Promise<void> {
  const names = (await readdir(out)).filter((name) => !name.endsWith(".sha256") && !WRITTEN_LAST.includes(name)).sort();
  const subjects: { readonly name: string; readonly digest: string }[] = [];
  for (const name of names) subjects.push({ name, digest: await sha256(join(out, name)) });
  const sums = subjects.map(({ name, digest }) => `${digest}  ${basename(name)}\n`);
  await writeFile(join(out, "SHA256SUMS"), sums.join(""));
  const statement = await provenanceOf(root, { version, subjects });
  await writeFile(join(out, "provenance.json"), `${JSON.stringify(statement, null, 2)}\n`);
}
