import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { PROGRAMS } from "../../src/contract/engine/program.ts";

const dist = resolve(import.meta.dirname, "../../dist");

t.test("an engine's program has of zod only what it uses, and no description of a schema", async (t) => {
  for (const name of PROGRAMS) {
    const program = readFileSync(join(dist, `${name}.cjs`), "utf8");
    // Somebody took the module of zod as a value, such as by `const { catch: other } = z`.
    t.notMatch(program, /\bmini_exports\b/, name);
    t.match(program, /\bdescribed\d*=schema\d*=>schema\d*;/, name);
  }
});

t.test("an engine's program has no schemas of events, which nothing in it validates", async (t) => {
  for (const name of PROGRAMS) {
    const map = JSON.parse(readFileSync(join(dist, `${name}.cjs.map`), "utf8")) as {
      readonly sources: readonly string[];
    };
    const found = map.sources.filter((source) => source.endsWith("src/contract/engine/events.ts"));
    t.same(found, [], `${name}: import only types of it; values are in event-groups.ts and event-limits.ts beside it`);
  }
});
