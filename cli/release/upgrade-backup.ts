import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists, readIfThere } from "../../src/shared/files.ts";
import type { Host } from "./activate-release.ts";
import type { Layout } from "./release-layout.ts";
import type { ReleaseManifest } from "./release-manifest.ts";
import type { Step } from "./release-steps.ts";

/** The last backup made by an upgrade. */
interface UpgradeBackup {
  /** The version that made the backup and can restore it. */
  readonly version: string;
  /** The path of the archive. */
  readonly archive: string;
}

const fileOf = ({ opt }: Layout): string => join(opt, "upgrade-backup.json");

/**
 * Backs the host up before a release that migrates the database, since migrations are not undone. None when `from` knows
 * all migrations of `to`. `make` returns the path of the archive.
 */
export function backupSteps(
  { layout }: Pick<Host, "layout">,
  {
    from,
    to,
    isSwitched,
    make,
  }: {
    readonly from: Pick<ReleaseManifest, "version" | "migrations">;
    readonly to: Pick<ReleaseManifest, "version" | "migrations">;
    readonly isSwitched: () => Promise<boolean>;
    readonly make: () => Promise<string>;
  },
): readonly Step[] {
  const added = to.migrations.filter((name) => !from.migrations.includes(name));
  if (added.length === 0) return [];
  return [
    {
      what: `back up this host, because ${to.version} migrates the database (${added.join(", ")})`,
      isDone: isSwitched,
      async run() {
        const archive = await make();
        await writeFile(fileOf(layout), JSON.stringify({ version: from.version, archive }));
        return archive;
      },
    },
  ];
}

/** The backup before the upgrade that replaced `version`. Null when there is none. */
export async function backupOf(layout: Layout, version: string): Promise<string | null> {
  const text = await readIfThere(fileOf(layout));
  if (text === null) return null;
  const backup = JSON.parse(text) as UpgradeBackup;
  return backup.version === version && (await exists(backup.archive)) ? backup.archive : null;
}

/** Advice for when the release `version` can no longer use the database. */
export async function wayBack(layout: Layout, version: string): Promise<string> {
  const archive = await backupOf(layout, version);
  const which = archive === null ? "a backup that it made" : archive;
  return `"Go back over a migration" in docs/operating.md restores ${which} with ${version}`;
}
