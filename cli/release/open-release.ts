import { mkdtemp, rm } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { execa } from "execa";
import { readIfThere } from "../../src/shared/files.ts";
import { CliFailure } from "../exit-codes.ts";
import type { UnpackedRelease } from "./copy-release.ts";
import { readManifest, sha256 } from "./release-manifest.ts";

const UNPACK_DEADLINE_MS = 300_000;

/** The release that this program is part of. */
export const ownRelease = (): Promise<UnpackedRelease> => openFolder(resolve(import.meta.dirname, ".."));

/** A release in a folder. Throws when it is a checkout, or something else. */
export async function openFolder(folder: string): Promise<UnpackedRelease> {
  const manifest = await readManifest(folder);
  if (manifest !== null) return { folder, manifest };
  const advice = "run the bin/orchctl of an unpacked release archive; npm run package makes one";
  throw new CliFailure("usage", `${folder} is not a release of orchd: it has no release.json`, null, advice);
}

/** Unpacks an archive into a temporary folder, calls `use` with it and removes the folder. */
export async function withArchive<T>(archive: string, use: (release: UnpackedRelease) => Promise<T>): Promise<T> {
  await verifyArchive(archive);
  // Not /tmp, which may be in memory.
  const folder = await mkdtemp("/var/tmp/orchd-release-");
  try {
    const args = ["-xzf", archive, "-C", folder, "--strip-components=1", "--no-same-owner"];
    const { failed, shortMessage, stderr } = await execa("tar", args, { reject: false, timeout: UNPACK_DEADLINE_MS });
    if (failed) throw new CliFailure("usage", `${archive} cannot be unpacked: ${stderr || shortMessage}`);
    return await use(await openFolder(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Verifies the checksum file that `npm run package` writes beside the archive. */
async function verifyArchive(archive: string): Promise<void> {
  const file = `${archive}.sha256`;
  const text = await readIfThere(file);
  if (text === null) throw new CliFailure("usage", `${file} is missing; copy it beside the archive`);
  const expected = /^[0-9a-f]{64}(?= )/.exec(text)?.[0];
  const found = await sha256(archive).catch((error: unknown) => {
    throw new CliFailure(
      "usage",
      `${archive} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  if (found !== expected) {
    throw new CliFailure("usage", `${basename(archive)} is damaged: its SHA-256 is not the one in ${file}`);
  }
}
