import { chmod, mkdir, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { readArchive } from "./archive-reader.ts";
import type { BackupHeader, BackupManifest } from "./format.ts";
import { assertFreeSpace } from "./free-space.ts";
import type { Member } from "../shared/tar.ts";

const OWN_FOLDER = 0o700;

interface Extraction {
  readonly passphrase: string | null;
  readonly onHeader: (header: BackupHeader) => Promise<void> | void;
  readonly onSection: (section: string) => void;
}

/**
 * Extracts an archive into a folder that only this user can enter. The paths of its members are safe below it: none has
 * a link above it. Files keep their modes and times. Throws `InvalidBackup`, and then the folder is of no use.
 */
export async function extractArchive(
  source: Readable,
  folder: string,
  { passphrase, onHeader, onSection }: Extraction,
): Promise<{ readonly header: BackupHeader; readonly manifest: BackupManifest }> {
  // A folder that its owner may not write gets its mode when it is full.
  let modes: { readonly path: string; readonly mode: number }[] = [];
  const made = new Set<string>();
  return readArchive(source, {
    passphrase,
    visitor: {
      header: onHeader,
      async member(section, member, body) {
        const root = join(folder, section);
        if (!made.has(section)) await mkdir(root, { recursive: true, mode: OWN_FOLDER });
        made.add(section);
        const path = join(root, member.path);
        if (member.type === "directory") {
          await mkdir(path, { mode: OWN_FOLDER });
          modes.push({ path, mode: member.mode });
        } else if (member.type === "symlink") await symlink(member.target, path);
        else await writeMember(path, member, body);
      },
      async sectionEnd(section) {
        for (const { path, mode } of modes.toReversed()) await chmod(path, mode);
        modes = [];
        onSection(section);
      },
    },
  });
}

/** On the disk when it resolves: the archive may be removed after the restore. */
async function writeMember(
  path: string,
  { size, mode, modifiedAt }: Member,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  await assertFreeSpace(dirname(path), size);
  await using file = await open(path, "wx", 0o600);
  for await (const chunk of body) await file.writeFile(chunk);
  await file.chmod(mode);
  await file.utimes(modifiedAt, modifiedAt);
  await file.sync();
}
