import { execFile, spawn } from "node:child_process";
import { cpSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { report } from "../../src/sandbox/index.ts";
import { withoutPython } from "../examples/backends.ts";
import { freePort } from "../helpers/fleet.ts";
import { freshFolder } from "../helpers/folder.ts";

const root = resolve(import.meta.dirname, "../..");
const PLAIN = { PATH: process.env["PATH"] ?? "", HOME: freshFolder(t, "home") };
const skip = report().files ?? report().systemCalls ?? false;

const run = (program: string, args: readonly string[], cwd = root) =>
  promisify(execFile)(program, args, { cwd, env: PLAIN });

/** An empty folder in which the tarball is installed and nothing else; npm may not use the network. */
async function installed(t: Test): Promise<string> {
  const dir = t.testdir({});
  // Without its prepack script: the test uses the existing build.
  const pack = ["pack", "-w", "src/sandbox", "--json", "--ignore-scripts", "--pack-destination", dir];
  const [{ filename }] = JSON.parse((await run("npm", pack)).stdout) as [{ filename: string }];
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  await run("npm", ["install", "--offline", "--cache", join(dir, "cache"), join(dir, filename)], dir);
  cpSync(join(root, "examples/sandbox"), dir, { recursive: true });
  return dir;
}

/** The Node.js programs of this host, those that package.json names first. */
async function nodePrograms(dir: string): Promise<Record<"named" | "older", readonly string[]>> {
  const { engines } = JSON.parse(readFileSync(join(dir, "node_modules/@orchd/sandbox/package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  const [, major = 0, minor = 0] = (/^>=(\d+)\.(\d+)$/.exec(engines.node) ?? []).map(Number);
  const { stdout } = await run("which", ["-a", "node"]);
  const named: string[] = [];
  const older: string[] = [];
  for (const program of new Set([process.execPath, ...stdout.trim().split("\n")].map((path) => realpathSync(path)))) {
    const [, first = 0, second = 0] = (/^v(\d+)\.(\d+)/.exec((await run(program, ["--version"])).stdout) ?? []).map(
      Number,
    );
    (first > major || (first === major && second >= minor) ? named : older).push(program);
  }
  return { named, older };
}

t.test("the packed sandbox in an empty folder", async (t) => {
  const dir = await installed(t);
  const { named, older } = await nodePrograms(dir);

  await t.test("it has no dependencies, and its code and types name none", async (t) => {
    const folder = join(dir, "node_modules/@orchd/sandbox");
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string } | string>>;
    };
    t.notHas(manifest, { dependencies: {} });
    const doors = Object.values(manifest.exports).filter((door) => typeof door === "object");
    const open = doors.flatMap((door) => [join(folder, door.types), join(folder, door.default)]);
    const seen = new Set<string>();
    const others: string[] = [];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      for (const [, target = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"/gm)) {
        if (target.startsWith("."))
          open.push(join(dirname(file), file.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target));
        else if (!target.startsWith("node:")) others.push(`${file} imports ${target}`);
      }
    }
    t.same(others, []);
    t.ok(seen.size > 2 * doors.length);
  });

  for (const node of named) {
    await t.test(`an untrusted script runs confined on ${node}`, { skip }, async (t) => {
      const { stdout } = await run(node, ["untrusted-script.ts", "cat /etc/shadow; echo kept > note && cat note"], dir);
      t.match(stdout, /Permission denied[^]*kept[^]*ended with 0/);
    });

    await t.test(`an untrusted server runs confined on ${node}`, { skip: skip || withoutPython() }, async (t) => {
      const port = await freePort();
      const env = { ...PLAIN, PORT: String(port) };
      const server = spawn(node, ["untrusted-server.ts", dir], { cwd: dir, env, stdio: ["ignore", "pipe", "inherit"] });
      t.teardown(() => server.kill("SIGKILL"));
      await once(server.stdout, "data");
      t.match(await (await fetch(`http://127.0.0.1:${port}/package.json`)).text(), "module");
      server.kill("SIGTERM");
      await once(server, "exit");
    });
  }

  await t.test("an older Node.js is told what is missing", { skip: older.length === 0 }, async (t) => {
    const tell = `import { report } from "@orchd/sandbox"; console.log(report().files)`;
    for (const node of older) {
      const { stdout } = await run(node, ["--input-type=module", "-e", tell], dir);
      t.match(stdout, /has no node:ffi; Node\.js 26\.10 or newer has it/, node);
    }
  });
});
