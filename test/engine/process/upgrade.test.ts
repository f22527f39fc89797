import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { refuses, startUpstream, streams } from "../model/upstream.ts";
import { FRAMES, NEEDED_SETTINGS, REMOTES } from "../model/wire-formats.ts";

const root = resolve(import.meta.dirname, "../../..");

/** What an engine of one provider is made of, and no more: whatever else it wanted to load would not be there. */
function install(t: Test, start: Start, provider: string): string {
  const folder = t.testdir({ bin: {}, dist: {} });
  copyFileSync(join(root, "bin/orch-engine.cjs"), join(folder, "bin/orch-engine.cjs"));
  for (const name of start === "snapshot"
    ? [`engine-${provider}.blob`]
    : ["engine-confine.cjs", `engine-${provider}.cjs`])
    copyFileSync(join(root, "dist", name), join(folder, "dist", name));
  return folder;
}

const STARTS = ["snapshot", "program"] as const;
type Start = (typeof STARTS)[number];

/** As an upgrade that went wrong half-way would leave it. */
function replace(installation: string): void {
  for (const part of ["bin", "dist"]) {
    const names = readdirSync(join(installation, part));
    rmSync(join(installation, part), { recursive: true });
    mkdirSync(join(installation, part));
    for (const name of names) writeFileSync(join(installation, part, name), "throw new Error('of another version')");
  }
}

for (const [remote, start] of REMOTES.flatMap((remote) => STARTS.map((start) => [remote, start] as const))) {
  t.test(`an engine of ${remote} that is running needs its ${start} no more`, async (t) => {
    const upstream = await startUpstream(t, streams(FRAMES[remote]), refuses(400, {}));
    const installation = install(t, start, remote);
    const settings = {
      LLM_PROVIDER: remote,
      LLM_API_KEY: "sk-upstream",
      LLM_BASE_URL: upstream.url,
      ...NEEDED_SETTINGS[remote],
    };
    const engine = await startEngine(t, { installation, settings, dataDir: join(installation, "data") });
    replace(installation);
    const frames = await engine.turn("task", "look around", { thinking: true });
    const resultOf = (name: string) => frames.find(({ event, data }) => event === "tool_result" && data.tool === name);
    t.match(resultOf("list_files")?.data, { error: null });
    t.match(resultOf("read_file")?.data, { error: /ENOENT/ });
    t.match(frames.at(-1)?.data, { error: "LLM_PROVIDER_ERROR", details: { status: 400 } });
    t.equal(await engine.stop(), 0, "the engine exits with code 0");
  });
}

t.test("the sandbox's program contains no provider", (t) => {
  const addresses = /api\.anthropic\.com|api\.openai\.com/;
  t.notOk(addresses.test(readFileSync(join(root, "dist/engine-sandbox.cjs"), "utf8")));
  t.ok(addresses.test(readFileSync(join(root, "dist/engine-anthropic.cjs"), "utf8")));
  t.end();
});
