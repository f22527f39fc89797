import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import t, { type Test } from "tap";
import { freshFolder } from "../helpers/folder.ts";
import { COMPLETED, STARTED, frames, text } from "./wire.ts";

const root = resolve(import.meta.dirname, "../..");
const MAX_TARBALL_BYTES = 130_000;
const PLAIN = { PATH: process.env["PATH"] ?? "", HOME: freshFolder(t, "home") };

const run = (program: string, args: readonly string[], cwd = root) =>
  promisify(execFile)(program, args, { cwd, env: PLAIN });

/** A new project with the packed client installed and nothing else; npm may not use the network. */
async function newProject(t: Test): Promise<{ readonly dir: string; readonly tarball: string }> {
  const dir = t.testdir({});
  // Without its prepack script: the test uses the existing build.
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", dir];
  const { stdout } = await run("npm", pack, join(root, "src/client"));
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = join(dir, filename);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  await run("npm", ["install", "--offline", "--cache", join(dir, "cache"), tarball], dir);
  return { dir, tarball };
}

const USE = `
import { createEngineClient, createOrchestratorClient, OrchdError, type TurnEvent, type EngineRecord } from "@orchd/client";
import { type UserClient, createUserClient } from "@orchd/client/browser";
import { fileKeys } from "@orchd/client/file-keys";
import { type KeyStore, createEngines } from "@orchd/client";
const keys: KeyStore = fileKeys("keys.json");
export const engines = createEngines({ orchestrator: createOrchestratorClient({ url: "http://x", platformKey: "k" }), keys });
export const agent: UserClient = createUserClient({ url: "http://x", getToken: () => "t" });
const engine = createEngineClient({ url: "http://x", key: "k" });
export async function use(): Promise<string> {
  const turn = engine.execute({ message: "hi", taskId: "t", onHuman: ({ options }) => options[0] });
  for await (const event of turn) {
    if (event.event === "text_delta") event.data.text.toUpperCase();
    if (event.event === "unknown") event.type satisfies string;
    // @ts-expect-error: no such event
    if (event.event === "nonsense") break;
  }
  const orchestrator = createOrchestratorClient({ url: "http://x", platformKey: "k" });
  for await (const record of orchestrator.list({ state: "running" })) record satisfies EngineRecord;
  // @ts-expect-error: a wrong type is seen, so the types are there
  await orchestrator.stop(7);
  const error: unknown = new OrchdError({ code: "TASK_BUSY", message: "" });
  return error instanceof OrchdError ? error.code : (await turn.result()).text;
}
export type Seen = TurnEvent["event"];
`;

/** The example of the client's document, with the names it does not declare. */
function documentedExample(): string {
  const [, example = ""] = /```ts\n([^]*?)```/.exec(readFileSync(join(root, "docs/client.md"), "utf8")) ?? [];
  return `declare const process: { stdout: { write(text: string): void } };
    declare const platformKey: string;
    declare function askMyUser(question: string, options: readonly string[]): Promise<string>;
    ${example}`;
}

/** Serves one turn to a client in another process. */
async function startEngineStub(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(frames([STARTED, text("from the engine"), COMPLETED]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The Node.js programs to test on: this one, and a Node.js 20 if this machine has one. */
async function nodePrograms(): Promise<readonly string[]> {
  const { stdout } = await run("which", ["-a", "node"]);
  const found = [process.execPath];
  for (const program of stdout.trim().split("\n")) {
    const { stdout: version } = await run(program, ["--version"]);
    if (version.startsWith("v20.")) return [...found, program];
  }
  return found;
}

t.test("the packed client", async (t) => {
  const { dir, tarball } = await newProject(t);
  const installed = join(dir, "node_modules/@orchd/client");

  await t.test("the tarball is at most 130 kB and has no dependencies", async (t) => {
    t.ok(statSync(tarball).size <= MAX_TARBALL_BYTES, `${statSync(tarball).size} bytes`);
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
    t.notOk(manifest["dependencies"] ?? manifest["peerDependencies"] ?? manifest["optionalDependencies"]);
  });

  await t.test("its types name no package, which a product may not have", async (t) => {
    const open = [join(installed, "dist/types/client/index.d.ts")];
    const seen = new Set<string>();
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      for (const [, target = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"([^"]+)"/g)) {
        t.match(target, /^\./, `${file} imports ${target}`);
        open.push(join(dirname(file), target.replace(/\.[jt]s$/, ".d.ts")));
      }
    }
    t.ok(seen.size > 10);
  });

  await t.test("its types compile in a fresh project under nodenext and bundler resolution", async (t) => {
    writeFileSync(join(dir, "use.ts"), USE);
    writeFileSync(join(dir, "example.ts"), documentedExample());
    for (const [module, resolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ] as const) {
      const strict = { strict: true, noEmit: true, types: [], skipLibCheck: false };
      const compilerOptions = {
        module,
        moduleResolution: resolution,
        target: "es2022",
        lib: ["es2022", "dom"],
        ...strict,
      };
      writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts", "example.ts"] }));
      const compiler = [join(root, "node_modules/typescript/bin/tsc"), "-p", dir];
      const failure = await run(process.execPath, compiler).then(
        () => null,
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
      t.equal(failure, null, resolution);
    }
  });

  await t.test("a product runs a turn on every Node.js from 20", async (t) => {
    const url = await startEngineStub(t);
    const product = join(dir, "product.js");
    writeFileSync(
      product,
      `import { createEngineClient } from "@orchd/client";
      const engine = createEngineClient({ url: ${JSON.stringify(url)}, key: "k" });
      console.log(await engine.execute({ message: "hi", taskId: "t" }).text());`,
    );
    for (const node of await nodePrograms())
      t.equal((await run(node, [product], dir)).stdout.trim(), "from the engine", node);
  });

  await t.test("a browser bundle of it runs with the web platform's own functions only", async (t) => {
    writeFileSync(join(dir, "page.js"), `export { createEngineClient } from "@orchd/client";`);
    const outfile = join(dir, "bundle/page.js");
    mkdirSync(join(dir, "bundle"));
    const entryPoints = [join(dir, "page.js")];
    await build({ entryPoints, outfile, bundle: true, platform: "browser", format: "esm", logLevel: "silent" });
    const stream = frames([STARTED, text("from nowhere"), COMPLETED]);
    const program = `
      import { readFileSync } from "node:fs";
      import vm from "node:vm";
      const response = () => new Response(${JSON.stringify(stream)}, { headers: { "content-type": "text/event-stream" } });
      const { AbortController, TextDecoder, URL, URLSearchParams, clearTimeout, console, crypto, performance, setTimeout } = globalThis;
      const web = { AbortController, TextDecoder, URL, URLSearchParams, clearTimeout, console, crypto, performance, setTimeout };
      const context = vm.createContext({ ...web, fetch: async () => response() });
      const module = new vm.SourceTextModule(readFileSync(${JSON.stringify(outfile)}, "utf8"), { context });
      await module.link((name) => { throw new Error("it imports " + name); });
      await module.evaluate();
      const client = module.namespace.createEngineClient({ url: "http://x", key: "k" });
      console.log(await client.execute({ message: "hi", taskId: "t" }).text());
    `;
    writeFileSync(join(dir, "use.js"), program);
    const flags = ["--experimental-vm-modules", "--no-warnings"];
    const { stdout } = await run(process.execPath, [...flags, join(dir, "use.js")]);
    t.equal(stdout.trim(), "from nowhere");
  });
});
