import t from "tap";
import { RECORD_TYPES } from "../../src/engine/memory/portability/file-records.ts";
import { MEMORY_LISTS } from "../../src/contract/memory-records.ts";
import { documentText, namesIn } from "./documents.ts";

t.test("the records of an export are those of the code, both ways", async (t) => {
  t.same([...namesIn("docs/memory.md", "record types")].sort(), [...RECORD_TYPES].sort());
});

t.test("the lists are those of the code, both ways", async (t) => {
  const [, lists = ""] = /^(`GET \/memory\/.*) list the memory/m.exec(documentText("docs/memory.md")) ?? [];
  t.same(
    [...lists.matchAll(/\/memory\/(\w+)/g)].map(([, name]) => name),
    MEMORY_LISTS,
  );
});
