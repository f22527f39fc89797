import { existsSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import promises from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { withoutThreadPool } from "../../../src/engine/spare/without-thread-pool.ts";

t.test("files are read and written at once, and by the thread pool again afterwards", async (t) => {
  const path = join(t.testdir({ old: "was here" }), "old");
  const own = promises.open;
  await withoutThreadPool(async () => {
    const file = await promises.open(path, "r+");
    const bytes = Buffer.alloc(3);
    t.match(await file.read(bytes, 0, 3, 0), { bytesRead: 3 });
    t.equal(bytes.toString(), "was");
    t.equal((await file.stat()).size, 8);
    t.equal((await file.readFile()).toString(), "was here");
    await file.chmod(0o600);
    await file.sync();
    await file.datasync();
    await file.close();
    const other = await promises.open(`${path}-new`, "w");
    await other.writeFile("is here");
    await other.close();
    t.ok(existsSync(`${path}-new`));
    await t.rejects(promises.open(`${path}-none`), { code: "ENOENT" });
  });
  t.equal(promises.open, own);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.equal(await readFile(`${path}-new`, "utf8"), "is here");
  await (await open(path)).close();
});
