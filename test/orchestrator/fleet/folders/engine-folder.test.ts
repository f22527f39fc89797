import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { removeEngineFolder } from "../../../../src/orchestrator/fleet/folders/engine-folder.ts";
import { freshFolder } from "../../../helpers/folder.ts";

t.test("a folder is removed however deep it is", async (t) => {
  const root = freshFolder(t, "deep");
  const [folder, around] = [join(root, "engine"), join(root, "around")];
  const chain = Array.from({ length: 12 }, () => "d".repeat(200)).join("/");
  mkdirSync(folder);
  // No path that the kernel takes leads to its ground: it is put into another chain, and that one into another.
  for (let times = 0; times < 3; times++) {
    mkdirSync(join(around, chain), { recursive: true });
    renameSync(folder, join(around, chain, "inner"));
    renameSync(around, folder);
  }
  await removeEngineFolder(folder, `${folder}-aside`);
  t.notOk(existsSync(folder));
});

t.test("a folder is removed whatever its permissions", async (t) => {
  const folder = join(freshFolder(t, "closed"), "engine");
  for (const [name, mode] of [
    ["read-only", 0o555],
    ["closed", 0],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "file"), "");
    chmodSync(join(folder, name), mode);
  }
  await removeEngineFolder(folder, `${folder}-aside`);
  t.notOk(existsSync(folder));
});

t.test("a folder that is not there is no error", async (t) => {
  await t.resolves(removeEngineFolder(join(freshFolder(t, "none"), "engine"), "/nowhere"));
});
