import { join } from "node:path";
import { execa } from "execa";
import { exists } from "../../src/shared/files.ts";
import { CliFailure, EXIT_CODES } from "../exit-codes.ts";
import type { Host } from "./activate-release.ts";
import type { UnpackedRelease } from "./copy-release.ts";
import { openFolder } from "./open-release.ts";
import { linkedVersion, readEnvironment, releaseFolder } from "./release-layout.ts";
import { type ReleaseManifest, databaseProblem } from "./release-manifest.ts";
import { wayBack } from "./upgrade-backup.ts";

/** A backup, and two restarts of the service, each within TimeoutStartSec of the unit and the wait until it is ready. */
const UPGRADE_DEADLINE_MS = 150 * 60_000;

/** The new release's own program does the upgrade, since it knows its system files. */
export async function upgradeByItself({ folder }: UnpackedRelease, flags: readonly string[]): Promise<void> {
  const options = { stdio: "inherit", reject: false, timeout: UPGRADE_DEADLINE_MS } as const;
  const { exitCode = EXIT_CODES.unexpected.code } = await execa(
    join(folder, "bin/orchctl"),
    ["upgrade", ...flags],
    options,
  );
  process.exitCode = exitCode;
}

/** The release that `target` replaces. Throws when there is none, or its database is too new for `target`. */
export async function releaseBefore(
  { layout }: Pick<Host, "layout">,
  target: UnpackedRelease,
): Promise<ReleaseManifest> {
  const { version } = target.manifest;
  const current = await linkedVersion(layout.current);
  if (current === null) throw new CliFailure("conflict", "orchd is not installed", null, "orchctl install installs it");
  // An upgrade that was interrupted has changed the link already.
  const from = current === version ? ((await linkedVersion(layout.previous)) ?? current) : current;
  const { manifest } = await openFolder(releaseFolder(layout, from));
  const { DATABASE_URL: url = "", ORCH_DATA_DIR: dataDir = "" } = await readEnvironment(layout);
  const usesBundledServer = url === "";
  const isNew = usesBundledServer && !(await exists(join(dataDir || layout.dataDir, "postgres")));
  const problem = isNew ? null : databaseProblem(manifest, target.manifest, { usesBundledServer });
  const goesBack = manifest.migrations.length > target.manifest.migrations.length;
  const advice = goesBack ? await wayBack(layout, version) : undefined;
  if (problem !== null) throw new CliFailure("conflict", problem, null, advice);
  return manifest;
}
