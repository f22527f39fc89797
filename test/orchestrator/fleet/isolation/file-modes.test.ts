import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { restoreModes } from "../../../../src/orchestrator/fleet/isolation/file-modes.ts";
import { createLogger } from "../../../../src/shared/logger.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const logger = createLogger("test", "silent");
const modeOf = (path: string): number => statSync(path).mode & 0o777;

t.test("the daemon's files and the engines' folders get their modes back", async (t) => {
  const dataDir = freshFolder(t, "modes");
  const engine = join(dataDir, "engines", "eng_1");
  for (const folder of [engine, join(dataDir, "run"), join(dataDir, "kept"), join(dataDir, "cache")])
    mkdirSync(folder, { recursive: true });
  for (const file of ["admin-key", "secret-key"]) writeFileSync(join(dataDir, file), "");
  for (const name of [".", "engines", "engines/eng_1", "run", "kept", "cache", "admin-key", "secret-key"])
    chmodSync(join(dataDir, name), 0o777);
  restoreModes(dataDir, logger);
  t.equal(modeOf(dataDir), 0o711);
  t.equal(modeOf(join(dataDir, "engines")), 0o711);
  t.equal(modeOf(engine), 0o700);
  t.equal(modeOf(join(dataDir, "run")), 0o711);
  t.equal(modeOf(join(dataDir, "kept")), 0o700);
  t.equal(modeOf(join(dataDir, "cache")), 0o755);
  t.equal(modeOf(join(dataDir, "admin-key")), 0o600);
  t.equal(modeOf(join(dataDir, "secret-key")), 0o600);
});

t.test("a link in the place of a file or an engine's folder is not followed", async (t) => {
  const dataDir = freshFolder(t, "modes");
  const outside = freshFolder(t, "outside");
  const file = join(outside, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o644);
  chmodSync(outside, 0o755);
  mkdirSync(join(dataDir, "engines"));
  symlinkSync(outside, join(dataDir, "engines", "eng_1"));
  symlinkSync(file, join(dataDir, "admin-key"));
  restoreModes(dataDir, logger);
  t.equal(modeOf(outside), 0o755);
  t.equal(modeOf(file), 0o644);
});

t.test("a shared folder as data folder keeps its sticky mode", async (t) => {
  const dataDir = freshFolder(t, "modes");
  chmodSync(dataDir, 0o1777);
  restoreModes(dataDir, logger);
  t.equal(statSync(dataDir).mode & 0o7777, 0o1777);
});
