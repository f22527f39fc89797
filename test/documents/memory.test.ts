import t from "tap";
import { RECORD_TYPES } from "../../src/engine/memory/portability/file-records.ts";
import { MEMORY_LISTS } from "../../src/contract/engine/memory-format.ts";
import { documentText, namesIn, tableIs } from "./documents.ts";

const FILE = "docs/memory.md";

t.test("the records of an export are those of the code, both ways", async (t) => {
  const source = tableIs(FILE, "record types", "src/engine/memory/portability/file-records.ts");
  t.same([...namesIn(FILE, "record types")].sort(), [...RECORD_TYPES].sort(), source);
});

t.test("the lists are those of the code, both ways", async (t) => {
  const [, lists = ""] = /^(`GET \/memory\/.*) list the memory/m.exec(documentText(FILE)) ?? [];
  t.same(
    [...lists.matchAll(/\/memory\/(\w+)/g)].map(([, name]) => name),
    MEMORY_LISTS,
    `the sentence on GET /memory/... in ${FILE} (actual) names MEMORY_LISTS (expected)`,
  );
});
