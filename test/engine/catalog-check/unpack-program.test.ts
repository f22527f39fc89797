import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { catalogDigest } from "../../../src/contract/orchestrator/catalog-digest.ts";
import { hashFolder } from "../../../src/orchestrator/fleet/folders/hash-folder.ts";
import { catalogArchive } from "../../helpers/catalog-archive.ts";
import { freshFolder } from "../../helpers/folder.ts";

const program = resolve(import.meta.dirname, "../../../dist/orchd-unpack-catalog.cjs");
const run = (order: object) => promisify(execFile)(process.execPath, [program, JSON.stringify(order)]);

t.test("the parts of an archive become the files of the digest, and nothing else", async (t) => {
  const folder = freshFolder(t);
  const target = join(folder, "catalog");
  const archive = await catalogArchive({ "agents/clerk.md": "the clerk", "core-soul.md": "the soul" });
  const parts = [0, 1].map((index) => {
    const half = Math.ceil(archive.length / 2);
    const path = join(folder, String(index));
    writeFileSync(path, archive.subarray(index * half, (index + 1) * half));
    return path;
  });
  const wrong = run({ parts, target, digest: "0".repeat(64) });
  await t.rejects(wrong, { code: 1, stderr: /expected a catalog with the digest 0{64}, got other files/ });
  const digest = catalogDigest(await hashFolder(target));
  await run({ parts, target, digest });
  t.equal(readFileSync(join(target, "agents/clerk.md"), "utf8"), "the clerk");
  await run({ parts, target, digest });
  t.equal(catalogDigest(await hashFolder(target)), digest, "a second run gives the same digest");
  await t.rejects(run({ parts: parts.slice(0, 1), target, digest }), { code: 1, stderr: /the archive is incomplete/ });
});
