import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";

const text = readFileSync(resolve(import.meta.dirname, "../../../docs/protocols.md"), "utf8");
const snippets = [...text.matchAll(/<!-- snippet: (.+) -->\n+```ts\n([^]*?)```/g)];

t.test("each program of the documentation of protocols gets an answer of the engine", async (t) => {
  const engine = await startEngine(t);
  t.ok(snippets.length > 0);
  const turns = async () => (await engine.call("/turns?limit=200")).body.items.length;
  for (const [, name = "", code = ""] of snippets) {
    // Within the repository, so that it finds its packages.
    const file = join(t.testdir(), `${name}.ts`);
    // A conversation of its own: that of another program waits for its user.
    writeFileSync(file, code.replaceAll('"t1"', JSON.stringify(name)));
    const env = { PATH: process.env["PATH"] ?? "", ENGINE_URL: engine.url, ENGINE_KEY: engine.key };
    const before = await turns();
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 20_000 });
    t.match(stdout, /\S/, name);
    t.ok((await turns()) > before, `${name} runs a turn`);
  }
});
