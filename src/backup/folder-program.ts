import { pipeline } from "node:stream/promises";
import { packFolder } from "./pack-folder.ts";
import { TarWriter } from "./tar.ts";

/**
 * The program that reads one engine's folder for a backup, as the folder's owner: it can read no more than the engine. A
 * tar archive goes to standard output, a line for each file that is left out to standard error.
 */
async function run(folder: string): Promise<void> {
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

run(process.argv[2] ?? "").catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
