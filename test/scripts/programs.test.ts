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
