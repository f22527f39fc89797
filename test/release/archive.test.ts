import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

const out = freshFolder(t, "orchd-release");
// Of this version the programs are those of `npm run pretest`. test/systemd/upgrade.test.ts has others.
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const options = ["--level", "0", "--version", version, "--out", out];
await run(process.execPath, [join(root, "scripts/package.ts"), ...options], { cwd: root });
const [archive = "", checksum = "", ...others] = readdirSync(out).sort();
const listing = (await run("tar", ["-xvvzf", join(out, archive), "-C", out, "--full-time", "--numeric-owner"])).stdout;
const release = join(out, archive.replace(/\.tar\.gz$/, ""));
const manifest = JSON.parse(readFileSync(join(release, "release.json"), "utf8"));

t.test("the archive has one folder, named for the version and the processor, and a checksum that fits", async (t) => {
  t.match(archive, new RegExp(`^orchd-\\d.*-linux-${process.arch}\\.tar\\.gz$`));
  t.same([checksum, others], [`${archive}.sha256`, []]);
  t.match((await run("sha256sum", ["--check", checksum], { cwd: out })).stdout, /: OK/);
  t.ok(existsSync(release));
});

t.test("it contains what runs, what explains it and its licenses, and nothing to install or build with", async (t) => {
  t.same(readdirSync(release).sort(), [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "bin",
    "client",
    "clients",
    "dist",
    "docs",
    "examples",
    "licenses",
    "package.json",
    "postgres",
    "release.json",
    "systemd",
  ]);
  t.same(readdirSync(join(release, "bin")).sort(), [
    "launch.js",
    "node",
    "orch-engine.cjs",
    "orchctl",
    "orchctl.js",
    "orchd.js",
  ]);
  t.same(readdirSync(join(release, "postgres/native/bin")).sort(), ["initdb", "pg_ctl", "postgres"]);
  const unexpected = /node_modules|^(?!examples\/).*\.(map|ts|a|h)$|\/(npm|npx|esbuild|tsc|build.json|sources.json)$/;
  t.same(
    Object.keys(manifest.files).filter((file) => unexpected.test(file)),
    [],
  );
});

t.test("its manifest has the checksum of every file, the versions of its parts and its migrations", async (t) => {
  const files = readdirSync(release, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(release.length + 1));
  t.same(Object.keys(manifest.files), files.filter((file) => file !== "release.json").sort());
  const sums = Object.entries(manifest.files).map(([file, sum]) => `${String(sum)}  ${file}`);
  const check = spawn("sha256sum", ["--check", "--status"], { cwd: release, stdio: ["pipe", "ignore", "inherit"] });
  check.stdin.end(`${sums.join("\n")}\n`);
  t.same(await once(check, "close"), [0, null]);
  t.equal(manifest.node, process.versions.node);
  t.match(manifest.migrations[0], /^0001-/);
});

t.test("owner, time and mode of its files do not depend on who makes it", async (t) => {
  const rows = listing
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/));
  t.same(new Set(rows.map(([, owner]) => owner)), new Set(["0/0"]));
  t.equal(new Set(rows.map(([, , , day, time]) => `${day} ${time}`)).size, 1);
  t.same(new Set(rows.map(([mode]) => mode)), new Set(["drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"]));
});

t.test("it has the license of Node.js, of PostgreSQL with its libraries and of each npm package", async (t) => {
  const licenses = (name: string) => readFileSync(join(release, "licenses", name), "utf8");
  // What Node.js reports as its parts, and its licenses name otherwise or not at all.
  const others: Record<string, string> = { ares: "c-ares", cldr: "ICU", tz: "ICU", unicode: "ICU" };
  const own = ["node", "nbytes", "ncrypto", "uv", "modules", "napi"];
  for (const part of Object.keys(process.versions).filter((name) => !own.includes(name)))
    t.match(licenses("node.txt"), new RegExp(others[part] ?? part, "i"), part);
  t.match(licenses("node.txt"), /libuv/);
  const libraries = ["OpenSSL", "zlib", "libxml2", "ICU 58", "liblzma"];
  for (const name of ["PostgreSQL", "Henry Spencer", "Snowball", ...libraries])
    t.match(licenses("postgres.txt"), new RegExp(`^.*${name}`, "m"));
  const titles = [...licenses("npm-packages.txt").matchAll(/^={80}\n(\S+) \d/gm)].map(([, name]) => name);
  for (const name of ["express", "kysely", "zod", "@ai-sdk/anthropic", "@modelcontextprotocol/client"])
    t.ok(titles.includes(name), name);
});

t.test("on a host that lacks a library of Node.js, install says which and how to get it", async (t) => {
  const bin = join(freshFolder(t, "orchd-poor-host"), "bin");
  mkdirSync(bin);
  copyFileSync(join(release, "bin/orchctl"), join(bin, "orchctl"));
  const says = "libatomic.so.1: cannot open shared object file";
  writeFileSync(join(bin, "node"), `#!/bin/sh\necho "${says}" >&2; exit 127\n`, { mode: 0o755 });
  const stderr = new RegExp(`cannot run on this host: ${says}\n.*apt-get install libatomic1`);
  await t.rejects(run(join(bin, "orchctl"), ["install"]), { code: 1, stderr });
});

t.test("it installs itself into an image, and systemctl enables its unit there", async (t) => {
  const home = freshFolder(t, "orchd-image");
  const [programs, image] = [join(home, "bin"), join(home, "image")];
  for (const folder of [programs, image]) mkdirSync(folder);
  writeFileSync(join(programs, "systemctl"), `#!/bin/sh\necho "$@" >>${home}/calls\n`, { mode: 0o755 });
  const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: home };
  const install = async (...more: readonly string[]) =>
    (await run(join(release, "bin/orchctl"), ["install", "--root", image, ...more], { env })).stdout;
  t.match(await install(), /^would +copy the release/);
  t.same(readdirSync(image), []);
  t.match(await install("--yes"), /^done +enable orchd.service$/m);
  t.equal(readFileSync(join(home, "calls"), "utf8"), `--root=${image} enable orchd.service\n`);
  const current = join(image, "opt/orchd/current");
  t.equal((await run(join(current, "bin/orchctl"), ["--version"], { env })).stdout.trim(), manifest.version);
  for (const part of ["systemd/orchd.service", "dist/man/orchctl.1", "dist/console/index.html"])
    t.ok(existsSync(join(current, part)), part);
});

t.test("a host without Node.js and npm runs it: daemon, engine, turn and command line", async (t) => {
  const home = freshFolder(t, "orchd-host");
  const dataDir = join(home, "data");
  mkdirSync(dataDir);
  // The bundled PostgreSQL runs as another user when we are root.
  for (const folder of [dataDir, release]) chmodSync(folder, 0o755);
  const port = await freePort();
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: home,
    ORCH_DATA_DIR: dataDir,
    ORCH_PORT: String(port),
    ORCH_PORT_MIN: String(portMin),
    ORCH_PORT_MAX: String(portMin + 19),
  };
  const daemon = (...args: readonly string[]) =>
    spawn(join(release, "bin/node"), [join(release, "bin/orchd.js"), ...args], { env, stdio: "ignore", cwd: home });
  const orchctl = async (...args: readonly string[]) => (await run(join(release, "bin/orchctl"), args, { env })).stdout;
  const serving = daemon();
  const exited = once(serving, "exit");
  t.teardown(() => serving.kill("SIGKILL"));
  await until(
    "the daemon is ready",
    async () => {
      if (serving.exitCode !== null) throw new Error(`the daemon ended with ${serving.exitCode}`);
      return (await ask(`http://127.0.0.1:${port}`, "/ready").catch(() => null))?.status === 200;
    },
    120_000,
  );
  t.match(await orchctl("health"), manifest.version);
  await orchctl("products", "register", "demo");
  await orchctl("engines", "provision", "alice");
  t.match(await orchctl("chat", "alice", "hello", "--answer", "short"), /sandbox model/);
  t.equal(JSON.parse(await orchctl("engines", "show", "alice", "--json")).version, manifest.version);
  serving.kill("SIGTERM");
  t.same(await exited, [0, null]);
  const stopping = daemon("--stop-engines");
  t.same(await once(stopping, "exit"), [0, null]);
});
