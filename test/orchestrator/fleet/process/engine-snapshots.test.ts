import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { EngineSnapshots } from "../../../../src/orchestrator/fleet/process/engine-snapshots.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { silent } from "../../../helpers/fleet.ts";

const root = resolve(import.meta.dirname, "../../../..");
const built = {
  nodePath: process.execPath,
  engineEntry: join(root, "bin/orch-engine.cjs"),
  bundleDir: join(root, "dist"),
  isProven: () => Promise.resolve(false),
  logger: silent,
};

t.test("an engine is restored from the snapshot of its provider", async (t) => {
  const snapshots = new EngineSnapshots(built);
  for (const [settings, program] of [
    [{}, "sandbox"],
    [{ LLM_API_KEY: "sk-of-the-test" }, "anthropic"],
    [{ LLM_PROVIDER: "openai-compatible" }, "openai-compatible"],
    [{ LLM_PROVIDER: "unknown" }, "sandbox"],
  ] as const)
    t.same(await snapshots.optionsFor(settings), ["--snapshot-blob", join(root, `dist/engine-${program}.blob`)]);
  t.equal(snapshots.problem, null);
});

t.test("without a snapshot that fits, engines load their program", async (t) => {
  const missing = new EngineSnapshots({ ...built, bundleDir: freshFolder(t) });
  t.same(await missing.optionsFor({}), []);
  t.match(missing.problem, /Cannot open .*engine-sandbox\.blob; run `npm run build`/);

  const bundleDir = freshFolder(t);
  writeFileSync(join(bundleDir, "engine-sandbox.blob"), "of another Node.js");
  const unusable = new EngineSnapshots({ ...built, bundleDir });
  t.same(await unusable.optionsFor({}), []);
  t.match(unusable.problem, /run `npm run build`/);
});

t.test("a Node.js that cannot be started is a problem too", async (t) => {
  const nodePath = join(freshFolder(t), "node");
  writeFileSync(nodePath, "#!/bin/sh\nkill -SEGV $$\n");
  chmodSync(nodePath, 0o755);
  const snapshots = new EngineSnapshots({ ...built, nodePath });
  t.same(await snapshots.optionsFor({}), []);
  t.match(snapshots.problem, /SIGSEGV/);
});

t.test("no trial is repeated after one of an earlier daemon with the same files", async (t) => {
  const snapshots = new EngineSnapshots({ ...built, nodePath: "/nowhere/node", isProven: () => Promise.resolve(true) });
  t.equal(await snapshots.areUsable(), true);
});

t.test("after an engine whose Node.js refused its snapshot, engines load their program", async (t) => {
  const snapshots = new EngineSnapshots(built);
  await snapshots.optionsFor({});
  snapshots.exited(1);
  t.equal(snapshots.problem, null, "a crash is another matter");
  snapshots.exited(14);
  t.same(await snapshots.optionsFor({}), []);
  t.match(snapshots.problem, /Node\.js was replaced/);
});
