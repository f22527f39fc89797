import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { startEngine } from "../helpers/engine.ts";

const root = resolve(import.meta.dirname, "../..");
const text = readFileSync(join(root, "docs/protocols.md"), "utf8");
const engine = await startEngine(t);
const env = { ...process.env, ENGINE_URL: engine.url, ENGINE_KEY: engine.key };

for (const [section, expected] of [
  ["OpenAI chat completions", "Hello"],
  ["OpenAI Responses", "Hello again\n"],
] as const)
  t.test(`the program of the section ${section} runs`, async (t) => {
    const program = text.split(`\n## ${section}\n`)[1]?.match(/```js\n(.*?)```/s)?.[1] ?? "";
    // In the folder of the packages.
    const file = join(root, "test", `snippet-${process.pid}.mjs`);
    writeFileSync(file, program);
    t.teardown(() => rmSync(file, { force: true }));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
    t.equal(stdout, expected);
  });
