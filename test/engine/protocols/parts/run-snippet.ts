import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Test } from "tap";
import type { TestEngine } from "../../../helpers/engine.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const root = resolve(import.meta.dirname, "../../../..");

/** Runs the snippet of this name of docs/protocols.md with an engine. Returns what it prints. */
export async function runSnippet(
  t: Test,
  name: string,
  { url, key }: Pick<TestEngine, "url" | "key">,
): Promise<string> {
  const text = readFileSync(join(root, "docs/protocols.md"), "utf8");
  const [, code] = text.split(`<!-- snippet: ${name} -->`)[1]?.split("```ts\n") ?? [];
  if (code === undefined) throw new Error(`docs/protocols.md has no snippet ${name}`);
  const folder = freshFolder(t, "snippet");
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "snippet.ts"), code.split("```")[0] ?? "");
  const env = { ...process.env, ENGINE_URL: url, ENGINE_KEY: key };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "snippet.ts")], {
    env,
    timeout: 30_000,
  });
  return stdout;
}
