import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openFolder } from "../../../src/sandbox/folders/open-folder.ts";
import { walkFolder } from "../../../src/sandbox/folders/walk-folder.ts";
import { freshFolder } from "../../helpers/folder.ts";

const PYTHON = "/usr/bin/python3";
const skip = existsSync(PYTHON) ? false : `needs ${PYTHON}`;
const LEVELS = 300;
const NEST = `import os, sys
os.chdir(sys.argv[1])
for level in range(int(sys.argv[2])):
    os.mkdir("d")
    open("file", "w").close()
    os.chdir("d")
`;

t.test("a walk visits every level, in order, with at most 64 descriptors", { skip }, async (t) => {
  const root = freshFolder(t, "walk");
  spawnSync(PYTHON, ["-c", NEST, root, String(LEVELS)]);
  const before = readdirSync("/proc/self/fd").length;
  await using top = await openFolder(root);
  let [files, left, most, deepest] = [0, 0, 0, 0];
  await walkFolder(top, {
    entry({ stats, depth }) {
      if (stats.isFile()) files++;
      deepest = Math.max(deepest, depth);
      most = Math.max(most, readdirSync("/proc/self/fd").length);
    },
    async leave() {
      left++;
    },
  });
  t.same([files, left, deepest], [LEVELS, LEVELS, LEVELS - 1]);
  t.ok(most - before <= 64, `${most - before} descriptors`);
  t.equal(readdirSync("/proc/self/fd").length, before + 1, "all but the caller's are closed");
});

t.test("a walk follows no link, and skips a folder on request", async (t) => {
  const root = freshFolder(t, "walk-links");
  mkdirSync(join(root, "top/left-out"), { recursive: true });
  mkdirSync(join(root, "outside"));
  writeFileSync(join(root, "outside/secret"), "");
  writeFileSync(join(root, "top/left-out/file"), "");
  symlinkSync(join(root, "outside"), join(root, "top/link"));
  await using top = await openFolder(join(root, "top"));
  const names: string[] = [];
  await walkFolder(top, {
    entry({ name }) {
      names.push(name.toString());
      return name.toString() !== "left-out";
    },
  });
  t.same(names.sort(), ["left-out", "link"]);
});

t.test("a folder that is exchanged while it is read is left out of a live walk, and an error of another", async (t) => {
  for (const isLive of [true, false]) {
    const root = freshFolder(t, "walk-exchange");
    mkdirSync(join(root, "top/folder"), { recursive: true });
    mkdirSync(join(root, "outside"));
    writeFileSync(join(root, "outside/secret"), "");
    await using top = await openFolder(join(root, "top"));
    const names: string[] = [];
    const walk = walkFolder(top, {
      isLive,
      entry({ name }) {
        names.push(name.toString());
        renameSync(join(root, "top/folder"), join(root, "folder"));
        symlinkSync(join(root, "outside"), join(root, "top/folder"));
      },
    });
    if (isLive) await walk;
    else await t.rejects(walk, { code: /ENOTDIR|ELOOP/ });
    t.same(names, ["folder"]);
  }
});

t.test("a folder that is moved while the walk is far below it ends the walk", { skip }, async (t) => {
  const root = freshFolder(t, "walk-moved");
  mkdirSync(join(root, "top"));
  spawnSync(PYTHON, ["-c", NEST, join(root, "top"), "100"]);
  await using top = await openFolder(join(root, "top"));
  const walk = walkFolder(top, {
    isLive: true,
    entry({ depth }) {
      if (depth === 80 && existsSync(join(root, "top/d/d/d"))) renameSync(join(root, "top/d/d/d"), join(root, "moved"));
    },
  });
  await t.rejects(walk, { code: "ESTALE" });
});
