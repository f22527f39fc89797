import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const dist = resolve(import.meta.dirname, "../../../dist");

/** How Node.js tells of a collection that its program asked for. */
const ASKED_FOR = /Mark-Compact.*testing; GC/;

t.test("an idle engine releases the memory of loading", async (t) => {
  const anthropic = { LLM_PROVIDER: "anthropic", LLM_API_KEY: "none" };
  const engine = await startEngine(t, { settings: anthropic, nodeOptions: ["--trace-gc"] });
  await until("it has collected all it can", () => ASKED_FOR.test(engine.output()));
  t.match(await engine.call("/health"), { status: 200 });
});

t.test("a busy engine is not interrupted for a garbage collection", async (t) => {
  const engine = await startEngine(t, { nodeOptions: ["--trace-gc"], settings: { ENGINE_LOG_LEVEL: "DEBUG" } });
  const turn = await engine.execute({ task_id: "busy", message: "/slow 60000\n/say late" });
  await until("all is loaded", () => engine.output().includes("provider loaded"));
  t.notMatch(engine.output(), ASKED_FOR);
  await engine.call("/execute/cancel", { body: { task_id: "busy" } });
  await turn.all();
});

t.test("bundles contain only one-byte characters", (t) => {
  const programs = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  t.ok(programs.includes("engine-sandbox.cjs"));
  for (const name of programs) t.notMatch(readFileSync(join(dist, name), "utf8"), /[\u0080-\uffff]/, name);
  t.end();
});
