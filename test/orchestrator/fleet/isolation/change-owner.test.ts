import { spawnSync } from "node:child_process";
import {
  chownSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { changeOwner } from "../../../../src/orchestrator/fleet/isolation/change-owner.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const ROOT = { uid: 0, gid: 0 };
const ALICE = { uid: 1_900_000_007, gid: 1_900_000_007 };
const skip = process.getuid?.() === 0 ? false : "only root changes owners";

/** An engine's folder of root, with what tools leave in one. */
function engineFolder(t: Test) {
  const outer = freshFolder(t, "owner");
  const folder = join(outer, "engine");
  mkdirSync(join(folder, "workspace", "deep", "er"), { recursive: true });
  const strange = Buffer.concat([Buffer.from(join(folder, "workspace/")), Buffer.from([0xff, 0xfe, 0x0a])]);
  for (const file of [join(folder, "engine.db"), join(folder, "workspace/deep/er/note"), strange])
    writeFileSync(file, "content");
  return { outer, folder };
}

const ownersBelow = (folder: string): number[] =>
  [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].map((name) => {
    // A name that is no text is looked up through its folder.
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return stat?.uid ?? -1;
  });

t.test("everything in a folder changes its owner, and nobody else can enter it", { skip }, async (t) => {
  const { folder } = engineFolder(t);
  await changeOwner(folder, ALICE);
  const owners = new Set(ownersBelow(folder).filter((uid) => uid >= 0));
  t.same([...owners], [ALICE.uid]);
  const found = spawnSync("find", [folder, "!", "-uid", String(ALICE.uid)], { encoding: "utf8" });
  t.equal(found.stdout, "", "a file whose name is not valid UTF-8 changes owner too");
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.equal(statSync(folder).gid, ALICE.gid);
  await changeOwner(folder, ROOT);
  t.same([...new Set(ownersBelow(folder).filter((uid) => uid >= 0))], [0], "and back");
});

t.test("a change that was interrupted is finished, because the folder itself comes last", { skip }, async (t) => {
  const { folder } = engineFolder(t);
  chownSync(join(folder, "workspace", "deep"), ALICE.uid, ALICE.gid);
  chownSync(join(folder, "engine.db"), ALICE.uid, ALICE.gid);
  await changeOwner(folder, ALICE);
  t.same([...new Set(ownersBelow(folder).filter((uid) => uid >= 0))], [ALICE.uid]);
});

t.test("links are not followed", { skip }, async (t) => {
  const { outer, folder } = engineFolder(t);
  const [file, other] = [join(outer, "shadow"), join(outer, "other")];
  writeFileSync(file, "");
  mkdirSync(other);
  writeFileSync(join(other, "inside"), "");
  symlinkSync(file, join(folder, "workspace", "to-file"));
  symlinkSync(other, join(folder, "workspace", "to-folder"));
  await changeOwner(folder, ALICE);
  t.equal(lstatSync(join(folder, "workspace", "to-file")).uid, ALICE.uid, "the link itself");
  for (const path of [file, other, join(other, "inside")]) t.equal(statSync(path).uid, 0, path);
  const link = join(outer, "link");
  symlinkSync(other, link);
  await t.rejects(changeOwner(link, ALICE), { code: /ENOTDIR|ELOOP/ });
  t.equal(statSync(other).uid, 0);
});

t.test("a file with a hard link outside is not given away, and nothing is changed", { skip }, async (t) => {
  const { outer, folder } = engineFolder(t);
  const secret = join(outer, "secret-key");
  writeFileSync(secret, "");
  linkSync(secret, join(folder, "workspace", "mine"));
  await t.rejects(changeOwner(folder, ALICE), { name: "StorageUnusable", message: /1 files .* hard links outside/ });
  t.same([...new Set(ownersBelow(folder).filter((uid) => uid >= 0))], [0]);
  t.equal(statSync(secret).uid, 0);
  unlinkSync(join(folder, "workspace", "mine"));
  linkSync(join(folder, "engine.db"), join(folder, "workspace", "copy"));
  await changeOwner(folder, ALICE);
  t.equal(statSync(join(folder, "workspace", "copy")).uid, ALICE.uid, "links inside are the folder's own");
});

t.test(
  "without the right to change owners, the message says who owns the folder and what to do",
  { skip },
  async (t) => {
    const { outer, folder } = engineFolder(t);
    lchownSync(folder, ALICE.uid, ALICE.gid);
    const program = `
    const { changeOwner } = await import(${JSON.stringify(join(import.meta.dirname, "../../../../src/orchestrator/fleet/isolation/change-owner.ts"))});
    await changeOwner(${JSON.stringify(folder)}, { uid: 65534, gid: 65534 }).catch((error) => console.log(error.name, error.message));
  `;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      uid: 65_534,
      gid: 65_534,
      cwd: outer,
      env: {},
      encoding: "utf8",
    });
    t.match(
      stdout,
      /^StorageUnusable the engine's folder belongs to user 1900000007, and orchd \(user 65534\)/,
      stderr,
    );
    t.notMatch(stdout, folder, "clients may read it, so it names no path");
  },
);
