import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { inputHash, isUpToDate, writeStamp } from "../../scripts/build-stamp.ts";
import { freshFolder } from "../helpers/folder.ts";

const root = resolve(import.meta.dirname, "../..");
const INPUTS = ["src", "cli", "console", "data", "scripts", "migrations", "bin", "package.json", "package-lock.json"];

/** What these tests build: the command line alone. `npm run pretest` and the release archive make all of it. */
const SMALL = `
import { build } from "esbuild";
export const makeDist = (folder) =>
  build({ entryPoints: ["cli/main.ts"], outfile: folder + "/orchctl.cjs", bundle: true, platform: "node", logLevel: "error" });
`;

/** A checkout of its own, with this one's packages. */
function checkout(t: Test): string {
  const folder = freshFolder(t, "orchd-checkout");
  for (const name of [...INPUTS, "tsconfig.json", "tsconfig.client.json", "tsconfig.sandbox.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, "scripts/make-dist.ts"), SMALL);
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== ".bin") symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  return folder;
}

async function build(folder: string) {
  const child = spawn(process.execPath, ["scripts/build.ts"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

async function version(folder: string): Promise<number | null> {
  const child = spawn(process.execPath, [join(folder, "bin/orchctl.js"), "--version"], { stdio: "ignore" });
  await once(child, "close");
  return child.exitCode;
}

t.test("a build is up to date until an input or an output is another", async (t) => {
  const folder = t.testdir({
    src: { "a.ts": "1" },
    cli: {},
    console: {},
    data: {},
    migrations: {},
    scripts: {},
    dist: {},
  });
  for (const name of [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.client.json",
    "tsconfig.sandbox.json",
  ])
    writeFileSync(join(folder, name), "{}");
  const dist = join(folder, "dist");
  writeFileSync(join(dist, "a.cjs"), "made");
  const fresh = async () => isUpToDate(dist, await inputHash(folder));
  t.notOk(await fresh(), "never built");
  await writeStamp(dist, await inputHash(folder));
  t.ok(await fresh());
  for (const [file, content] of [
    ["src/a.ts", "2"],
    ["src/b.ts", "1"],
    ["package-lock.json", "{ }"],
    ["scripts/build.ts", ""],
    ["dist/a.cjs", "cut"],
  ] as const) {
    const path = join(folder, file);
    const before = existsSync(path) ? readFileSync(path) : null;
    writeFileSync(path, content);
    t.notOk(await fresh(), `${file} is another`);
    if (before === null) rmSync(path);
    else writeFileSync(path, before);
    t.ok(await fresh(), `${file} is as it was`);
  }
  rmSync(join(dist, "a.cjs"));
  t.notOk(await fresh(), "an output is gone");
});

t.test("builds of one checkout", async (t) => {
  const folder = checkout(t);
  const dist = join(folder, "dist");
  const builtAt = () => statSync(dist).ino;

  await t.test("two at once make one build, and neither breaks the other's", async (t) => {
    // What a build that was killed has left.
    mkdirSync(join(folder, "dist.1"));
    const [one, other] = await Promise.all([build(folder), build(folder)]);
    t.equal(one.code, 0, one.stderr);
    t.equal(other.code, 0, other.stderr);
    t.equal(
      [one, other].filter(({ stderr }) => stderr.includes("building")).length,
      1,
      "the second one waits and skips",
    );
    t.equal(await version(folder), 0);
    t.same(
      readdirSync(folder).filter((name) => name.startsWith("dist.") && name !== "dist.lock"),
      [],
    );
  });

  await t.test("nothing is built where nothing has changed", async (t) => {
    const before = builtAt();
    t.same(await build(folder), { code: 0, stdout: "", stderr: "" });
    t.equal(builtAt(), before);
    rmSync(join(folder, "node_modules/.bin/orchctl"));
    await build(folder);
    t.ok(existsSync(join(folder, "node_modules/.bin/orchctl")), "the programs' links are looked after all the same");
    t.equal(builtAt(), before);
  });

  await t.test("a build that fails leaves the one before as it is", async (t) => {
    const before = readFileSync(join(dist, "orchctl.cjs"));
    appendFileSync(join(folder, "cli/main.ts"), "\nconst = ;\n");
    t.not((await build(folder)).code, 0);
    t.ok(readFileSync(join(dist, "orchctl.cjs")).equals(before));
    for (const parent of ["", "src/client", "src/sandbox"])
      t.notOk(existsSync(join(folder, parent, "dist.new")), `no half-made dist/ is left below ${parent || "the root"}`);
  });
});
