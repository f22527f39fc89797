import { existsSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { makeEmptyStore } from "../../../scripts/make-empty-store.ts";
import { EMPTY_STORE, copyEmptyStore } from "../../../src/engine/store/new-store.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { startEngine } from "../../helpers/engine.ts";

const dist = resolve(import.meta.dirname, "../../../dist");

function contentOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true });
  const value = (pragma: string) => Object.values(db.prepare(`pragma ${pragma}`).get() ?? {})[0];
  const content = {
    objects: db.prepare("select type, name, tbl_name, sql from sqlite_schema order by type, name").all(),
    sequences: db.prepare("select * from sqlite_sequence order by name").all(),
    version: value("user_version"),
    journal: value("journal_mode"),
    sound: value("integrity_check"),
  };
  db.close();
  return content;
}

t.test("a store that begins as a copy is the one that the migrations make", (t) => {
  const folder = t.testdir({ made: {}, copied: {} });
  const [made, copied] = [join(folder, "made"), join(folder, "copied")];
  openStore(made).close();
  copyEmptyStore(join(copied, "copy.db"), dist);
  t.same(contentOf(join(copied, "copy.db")), contentOf(join(made, "engine.db")));
  t.end();
});

t.test("an engine of the build begins with the copy", async (t) => {
  const engine = await startEngine(t);
  const bytes = statSync(join(engine.dataDir, "engine.db")).size;
  t.equal(bytes, statSync(join(dist, EMPTY_STORE)).size, "by migrations, its tables would be in the log still");
});

t.test("a store, or a log without its store, is never replaced by the copy", (t) => {
  const folder = t.testdir({ "engine.db": "stored", "other.db-wal": "logged" });
  copyEmptyStore(join(folder, "engine.db"), dist);
  copyEmptyStore(join(folder, "other.db"), dist);
  t.equal(statSync(join(folder, "engine.db")).size, "stored".length);
  t.notOk(existsSync(join(folder, "other.db")));
  t.end();
});

t.test("without the copy nothing is made, and what a killed process left is overwritten", (t) => {
  const folder = t.testdir();
  makeEmptyStore(folder);
  writeFileSync(join(folder, "full.db~"), "of a process that was killed");
  copyEmptyStore(join(folder, "none.db"), join(folder, "elsewhere"));
  t.notOk(existsSync(join(folder, "none.db")));
  copyEmptyStore(join(folder, "full.db"), folder);
  t.same(contentOf(join(folder, "full.db")), contentOf(join(folder, EMPTY_STORE)));
  t.notOk(existsSync(join(folder, "full.db~")));
  t.end();
});
