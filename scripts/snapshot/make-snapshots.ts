import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import PQueue from "p-queue";
import { PROGRAMS } from "../../src/contract/engine/program.ts";
import { trimCodeCache } from "./trim-code-cache.ts";

const AT_ONCE = 2;
const LIST_BUILT_INS = join(import.meta.dirname, "list-built-ins.cjs");

/**
 * Builds the start-up snapshot of each engine program: the process of an engine is restored from it instead of loading
 * the program. It fits only the Node.js that builds it. The environment is empty, for a snapshot keeps what a program reads
 * while it loads.
 */
export async function makeSnapshots(folder: string): Promise<void> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  await queue.addAll(PROGRAMS.map((name) => () => makeSnapshot(join(folder, name))));
}

/** `program`: a path without its extension, `.cjs`. The snapshot is beside it, as `.blob`. */
export async function makeSnapshot(program: string): Promise<void> {
  const blob = `${program}.blob`;
  await buildSnapshot(program, { codeCache: true });
  const loaded = await promisify(execFile)(process.execPath, ["--snapshot-blob", blob, LIST_BUILT_INS], { env: {} });
  const trimmed = trimCodeCache(await readFile(blob), new Set(JSON.parse(loaded.stdout) as string[]));
  if (trimmed === null) await buildSnapshot(program, { codeCache: false });
  else await writeFile(blob, trimmed);
}

/** With `codeCache`, the code that ran while the program loaded and that of all built-in modules: a boot compiles less. */
async function buildSnapshot(program: string, { codeCache }: { readonly codeCache: boolean }): Promise<void> {
  const [config, log] = [`${program}.json`, `${program}.log`];
  await writeFile(config, JSON.stringify({ builder: `${program}.cjs`, withoutCodeCache: !codeCache }));
  // A file, because Node.js loads `net` to print to a pipe.
  const output = await open(log, "w");
  try {
    const args = ["--snapshot-blob", `${program}.blob`, "--build-snapshot-config", config];
    const child = spawn(process.execPath, args, { env: {}, stdio: ["ignore", output.fd, output.fd] });
    const [code] = await once(child, "exit");
    // Node.js warns of built-in modules that it has not verified in a snapshot.
    const printed = await readFile(log, "utf8");
    if (code !== 0 || printed !== "") throw new Error(`failed to build ${program}.blob: ${printed || code}`);
  } finally {
    await output.close();
    for (const file of [config, log]) await rm(file);
  }
}
