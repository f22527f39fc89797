/**
 * Makes the release archive `orchd-<version>-linux-<arch>.tar.gz` and its SHA-256. It contains everything that orchd runs
 * with, so the target needs no npm: see docs/operating.md. With `--publish` also what else is published: docs/publish.md.
 */
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { fillRelease } from "./release/fill-release.ts";
import { makePublishable } from "./release/publishable.ts";
import { releaseTime, releaseVersion } from "./release/release-version.ts";
import { writeArchive } from "./release/write-archive.ts";

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    out: { type: "string", default: "." },
    level: { type: "string", default: "9" },
    publish: { type: "boolean", default: false },
    images: { type: "string" },
    version: { type: "string", default: releaseVersion(root, manifest.version) },
  },
});
if (process.platform !== "linux") throw new Error("a release is made on Linux, for the processor that it will run on");
if (values.images !== undefined && !values.publish) throw new Error("--images: only with --publish");
if (!/^\d$/.test(values.level)) throw new Error(`--level: expected 0 to 9, got "${values.level}"`);

const { version } = values;
const name = `orchd-${version}-linux-${process.arch}`;
// A folder of its own: what is published has sums, which are of all of its files.
const out = values.publish && values.out === "." ? resolve(`release-${version}`) : resolve(values.out);
await mkdir(out, { recursive: true });
const staging = await mkdtemp(join(out, ".orchd-release-"));
try {
  const folder = join(staging, name);
  await fillRelease({ root, folder, version });
  const file = join(out, `${name}.tar.gz`);
  const time = releaseTime(root, process.env["SOURCE_DATE_EPOCH"]);
  await writeArchive(folder, { file, time, level: Number(values.level) });
  process.stdout.write(`${file}: ${((await stat(file)).size / 1e6).toFixed(1)} MB\n`);
  await rm(staging, { recursive: true });
  if (values.publish) {
    const images = await makePublishable({ root, out, version, time, images: values.images ?? null });
    process.stdout.write(await readFile(join(out, "SHA256SUMS"), "utf8"));
    for (const image of images) process.stdout.write(`image ${image}\n`);
  }
} finally {
  await rm(staging, { recursive: true, force: true });
}
