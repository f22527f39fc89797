import { chmod, constants, copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exists } from "../../src/shared/files.ts";
import { type Layout, releaseFolder } from "./release-layout.ts";
import { MANIFEST_FILE, type ReleaseManifest, verifyFile } from "./release-manifest.ts";
import type { Step } from "./release-steps.ts";

/** An unpacked release. */
export interface UnpackedRelease {
  readonly folder: string;
  readonly manifest: ReleaseManifest;
}

/** The bytes of a release's files. */
export async function sizeOf({ folder, manifest }: UnpackedRelease): Promise<number> {
  const sizes = await Promise.all(
    Object.keys(manifest.files).map(async (name) => (await stat(join(folder, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Copies a release to its folder in the layout. The files are those of the manifest, with its checksums. They become
 * readable for all, because each engine may run as a user of its own. Renamed into place when complete.
 */
export function copyRelease(layout: Layout, { folder, manifest }: UnpackedRelease): Step {
  const target = releaseFolder(layout, manifest.version);
  return {
    what: `copy the release to ${target}`,
    isDone: () => exists(target),
    async run() {
      const draft = join(layout.releases, `.${manifest.version}.new`);
      await rm(draft, { recursive: true, force: true });
      await mkdir(layout.releases, { recursive: true });
      await createFolder(draft);
      for (const file of Object.entries(manifest.files)) {
        await copyPart({ from: folder, to: draft, name: file[0] });
        await verifyFile(draft, file);
      }
      await copyPart({ from: folder, to: draft, name: MANIFEST_FILE });
      await rename(draft, target);
    },
  };
}

async function copyPart({ from, to, name }: { from: string; to: string; name: string }): Promise<void> {
  const [source, target] = [join(from, name), join(to, name)];
  await createFolder(dirname(target));
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  const isProgram = ((await stat(source)).mode & 0o100) !== 0;
  await chmod(target, isProgram ? 0o755 : 0o644);
}

/** With its parents, and independent of the umask. */
async function createFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  await createFolder(dirname(folder));
  await mkdir(folder);
  await chmod(folder, 0o755);
}
