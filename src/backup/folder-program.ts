import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { packFolder } from "./pack-folder.ts";
import { serveFolder } from "./folder-server.ts";
import { TarWriter } from "../shared/tar.ts";
import { readUncollected } from "./read-uncollected.ts";
import { STORE_FILES } from "./store-snapshot.ts";

/**
 * The program that reads one engine's folder as the folder's owner: it can read no more than the engine. For a backup, a
 * tar archive goes to standard output, a line for each file that is left out to standard error. With `uncollected` and a
 * position (`ledger:revision`), what the engine has spent since and its notices go to standard output as JSON. With `serve`, the file
 * of a token and a port, one of both is the answer to one HTTP call.
 */
async function run(folder: string, [what, ...more]: readonly string[]): Promise<void> {
  if (what === "uncollected") return printUncollected(folder, more[0] ?? "");
  if (what === "serve") return serveFolder(folder, more[0] ?? "", Number(more[1]));
  const tar = new TarWriter();
  const sent = pipeline(tar.stream, process.stdout);
  const leaveOut = (path: string, reason: string) => process.stderr.write(`${JSON.stringify(path)}: ${reason}\n`);
  try {
    await packFolder(folder, tar, leaveOut);
    tar.finish();
  } catch (error) {
    tar.fail(error instanceof Error ? error : new Error(String(error)));
  }
  await sent;
}

function printUncollected(folder: string, position: string): void {
  const [ledger = "", revision] = position.split(":");
  const found = readUncollected(join(folder, STORE_FILES[0] ?? ""), { ledger, revision: Number(revision ?? 0) });
  process.stdout.write(JSON.stringify(found));
}

const [, , folder = "", ...what] = process.argv;
run(folder, what).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
