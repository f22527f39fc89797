import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";

const dist = resolve(import.meta.dirname, "../../../dist");

t.test("bundles contain only one-byte characters", (t) => {
  const programs = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  t.ok(programs.includes("engine-sandbox.cjs"));
  for (const name of programs) t.notMatch(readFileSync(join(dist, name), "utf8"), /[\u0080-\uffff]/, name);
  t.end();
});
