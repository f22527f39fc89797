import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { catalogDigest } from "../../contract/orchestrator/catalog-digest.ts";
import { unpackArchive } from "./unpack-archive.ts";

interface Order {
  /** The files that the archive was cut into. */
  readonly parts: readonly string[];
  /** The folder for the files; it is created again. */
  readonly target: string;
  /** The expected digest of the files. */
  readonly digest: string;
}

/**
 * The program that unpacks a product's catalog in an engine's pod, before the engine starts. The order is its argument.
 * The daemon checked the files when they were pushed, so here only their digest is compared.
 */
async function run({ parts, target, digest }: Order): Promise<void> {
  process.umask(0o022);
  // Kubernetes may run an init container again.
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true, mode: 0o755 });
  const { files, faults } = await unpackArchive(Readable.from(read(parts)), target);
  if (catalogDigest(files) === digest) return;
  const [fault] = faults;
  throw new Error(
    `expected a catalog with the digest ${digest}, got other files${fault === undefined ? "" : `: ${fault.message}`}`,
  );
}

async function* read(parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* createReadStream(part);
}

run(JSON.parse(process.argv[2] ?? "") as Order).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
