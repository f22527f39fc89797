import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { refuses, startUpstream, streams } from "../model/upstream.ts";
import { FRAMES, NEEDED_SETTINGS, REMOTES } from "../model/wire-formats.ts";

const root = resolve(import.meta.dirname, "../../..");

/** What an engine of one provider is made of, and no more: whatever else it wanted to load would not be there. */
function install(t: Test, ...bundles: readonly string[]): string {
  const folder = t.testdir({ bin: {}, dist: {} });
  copyFileSync(join(root, "bin/orch-engine.cjs"), join(folder, "bin/orch-engine.cjs"));
  for (const name of ["engine-confine", "engine", "engine-app", ...bundles])
    copyFileSync(join(root, "dist", `${name}.cjs`), join(folder, "dist", `${name}.cjs`));
  return folder;
}

/** As an upgrade that went wrong half-way would leave it. */
function replace(installation: string): void {
  for (const part of ["bin", "dist"]) {
    const names = readdirSync(join(installation, part));
    rmSync(join(installation, part), { recursive: true });
    mkdirSync(join(installation, part));
    for (const name of names) writeFileSync(join(installation, part, name), "throw new Error('of another version')");
  }
}

for (const remote of REMOTES) {
  t.test(`an engine of ${remote} that is running needs its installation no more`, async (t) => {
    const upstream = await startUpstream(t, streams(FRAMES[remote]), refuses(400, {}));
    const installation = install(t, `engine-${remote}-model`);
    const settings = {
      LLM_PROVIDER: remote,
      LLM_API_KEY: "sk-upstream",
      LLM_BASE_URL: upstream.url,
      ...NEEDED_SETTINGS[remote],
      ENGINE_LOG_LEVEL: "DEBUG",
    };
    const engine = await startEngine(t, { installation, settings, dataDir: join(installation, "data") });
    await until("all is loaded", () => engine.output().includes("provider loaded"));
    replace(installation);
    const frames = await engine.turn("task", "look around", { thinking: true });
    const resultOf = (name: string) => frames.find(({ event, data }) => event === "tool_result" && data.tool === name);
    t.match(resultOf("list_files")?.data, { error: null });
    t.match(resultOf("read_file")?.data, { error: /ENOENT/ });
    t.match(frames.at(-1)?.data, { error: "LLM_PROVIDER_ERROR", details: { status: 400 } });
    t.equal(await engine.stop(), 0, "and ends in good order");
  });
}

t.test("the sandbox bundle contains no provider", async (t) => {
  const installation = install(t);
  const engine = await startEngine(t, {
    installation,
    settings: { ENGINE_LOG_LEVEL: "DEBUG" },
    dataDir: join(installation, "data"),
  });
  await until("all is loaded", () => engine.output().includes("provider loaded"));
  replace(installation);
  t.match((await engine.turn("task", "/tool list_files {}\n/say done")).at(-1)?.data, { phase: "completed" });
  t.equal(await engine.stop(), 0);
});
