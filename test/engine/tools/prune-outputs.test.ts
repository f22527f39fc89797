import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { outputsToPrune, pruneOutputs } from "../../../src/engine/tools/spill.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const DAY = 24 * 3600 * 1000;
const MiB = 1024 * 1024;
const logger = createLogger("test", "silent");

/** A workspace with outputs of the given ages. */
function workspace(t: Test, ages: Readonly<Record<string, number>>, root = t.testdir()) {
  const workspaceDir = join(root, "workspace");
  const outputs = join(workspaceDir, ".orch/outputs");
  mkdirSync(outputs, { recursive: true });
  for (const [name, age] of Object.entries(ages)) {
    writeFileSync(join(outputs, name), "x");
    const at = (Date.now() - age) / 1000;
    utimesSync(join(outputs, name), at, at);
  }
  return { workspaceDir, outputs };
}

t.test("outputs older than seven days are deleted, but none since the first running turn", async (t) => {
  const { workspaceDir, outputs } = workspace(t, { a: 30 * DAY, b: 9 * DAY, c: 8 * DAY, d: 6 * DAY, e: 0 });
  const now = Date.now();
  await pruneOutputs({ workspaceDir, runningSince: [now - DAY, now - 8.5 * DAY], logger });
  t.same(readdirSync(outputs), ["c", "d", "e"]);
  await pruneOutputs({ workspaceDir, runningSince: [], logger });
  t.same(readdirSync(outputs), ["d", "e"]);
});

t.test("above the size limit the oldest outputs are deleted first", async (t) => {
  const now = 1_000_000;
  const file = (name: string, age: number) => ({ name, bytes: 100 * MiB, writtenAt: now - age });
  const files = [file("third", 3000), file("first", 5000), file("second", 4000), file("fourth", 2000)];
  const names = (keptFrom: number) => outputsToPrune(files, { now, keptFrom }).map(({ name }) => name);
  t.same(names(now), ["first", "second"]);
  t.same(names(now - 4500), ["first"], "what a running turn may have written stays, however much it is");
  t.same(names(now - 6000), []);
});

t.test("a workspace without outputs, or with a linked outputs folder, is unchanged", async (t) => {
  const { workspaceDir, outputs } = workspace(t, { old: 30 * DAY });
  const linked = join(workspaceDir, "../linked");
  mkdirSync(linked, { recursive: true });
  await pruneOutputs({ workspaceDir: linked, runningSince: [], logger });
  symlinkSync(join(workspaceDir, ".orch"), join(linked, ".orch"));
  await pruneOutputs({ workspaceDir: linked, runningSince: [], logger });
  t.ok(existsSync(join(outputs, "old")), "over no link");
  const inner = workspace(t, {}, join(workspaceDir, "../inner"));
  symlinkSync(join(workspaceDir, "somewhere"), join(inner.outputs, "link"));
  mkdirSync(join(inner.outputs, "folder"));
  await pruneOutputs({ workspaceDir: inner.workspaceDir, runningSince: [], logger });
  t.same(readdirSync(inner.outputs), ["folder", "link"]);
});

t.test("an engine prunes outputs at start-up", async (t) => {
  const { workspaceDir, outputs } = workspace(t, { old: 8 * DAY, young: DAY });
  await startEngine(t, { dataDir: join(workspaceDir, "..") });
  await until("the old one is gone", () => !existsSync(join(outputs, "old")));
  t.ok(existsSync(join(outputs, "young")));
});
