import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { frames, COMPLETED, STARTED, text } from "./wire.ts";

const root = resolve(import.meta.dirname, "../..");
const PLAIN = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" };

/** A program without what the test runner puts into its children, which would load each module its own way. */
const run = (program: string, args: readonly string[]) =>
  promisify(execFile)("env", ["-u", "NODE_OPTIONS", program, ...args], { cwd: root, env: PLAIN });

/** A fresh project that has the packed package, and no other, in its node_modules. */
async function newProject(t: Test): Promise<string> {
  const dir = t.testdir({});
  const packed = join(dir, "node_modules/orchd");
  mkdirSync(packed, { recursive: true });
  // Without its script: the build that is there is what is tested.
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", dir]);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run("tar", ["-xzf", join(dir, filename), "-C", packed, "--strip-components=1"]);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  return dir;
}

const USE = `
import { createEngineClient, createOrchestratorClient, OrchdError, type TurnEvent, type EngineRecord } from "orchd/client";
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
    declare function storedKeyOf(user: string): Promise<string>;
    ${example}`;
}

t.test("the package as it is packed", async (t) => {
  const dir = await newProject(t);
  await t.test("a fresh project imports the packed client, with its types, by either way of resolving", async (t) => {
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

  await t.test("the packed client runs where there is nothing but the web's own functions", async (t) => {
    const file = join(dir, "node_modules/orchd/dist/client/index.js");
    const stream = frames([STARTED, text("from nowhere"), COMPLETED]);
    const program = `
      import { readFileSync } from "node:fs";
      import vm from "node:vm";
      const response = () => new Response(${JSON.stringify(stream)}, { headers: { "content-type": "text/event-stream" } });
      const { AbortController, TextDecoder, URL, URLSearchParams, clearTimeout, console, crypto, setTimeout } = globalThis;
      const web = { AbortController, TextDecoder, URL, URLSearchParams, clearTimeout, console, crypto, setTimeout };
      const context = vm.createContext({ ...web, fetch: async () => response() });
      const module = new vm.SourceTextModule(readFileSync(${JSON.stringify(file)}, "utf8"), { context });
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
