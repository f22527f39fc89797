import t from "tap";
import { migrationLists } from "../../scripts/migration-lists.ts";

const folderOf = (files: { orchestrator?: readonly string[]; engine?: readonly string[] }) => {
  const folder = (names: readonly string[] = []) => Object.fromEntries(names.map((name) => [name, ""]));
  return t.testdir({ orchestrator: folder(files.orchestrator), engine: folder(files.engine) });
};

t.test("migrations are listed by the numbers of their files", async (t) => {
  const lists = migrationLists(
    folderOf({ orchestrator: ["0003-b-c.ts", "0001-a.ts", "index.ts"], engine: ["0001-x.ts"] }),
  );
  t.match(lists["migrations/orchestrator/index.ts"], /"0001-a": a,\n {2}"0003-b-c": bC,\n/);
  t.match(lists["migrations/engine/index.ts"], 'import { sql as x } from "./0001-x.ts";');
});

t.test("two migrations of one number, a gap in an engine's and another name are refused with the file", async (t) => {
  const twice = folderOf({ orchestrator: ["0001-a.ts", "0001-b.ts"] });
  t.throws(() => migrationLists(twice), /0001-a\.ts: 0001-b\.ts has its number/);
  const gap = folderOf({ engine: ["0001-a.ts", "0003-b.ts"] });
  t.throws(() => migrationLists(gap), /engine\/0003-b\.ts: expected the number 0002/);
  t.throws(() => migrationLists(folderOf({ engine: ["first.ts"] })), /first\.ts: expected a name such as/);
});
