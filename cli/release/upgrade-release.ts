import { rm } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { CliFailure } from "../exit-codes.ts";
import { type Host, activateRelease, runningVersion } from "./activate-release.ts";
import { type UnpackedRelease, copyRelease } from "./copy-release.ts";
import { type Layout, installedReleases, linkRelease, linkedVersion, releaseFolder } from "./release-layout.ts";
import { releaseProcesses } from "./release-processes.ts";
import type { ReleaseManifest } from "./release-manifest.ts";
import { type Step, always } from "./release-steps.ts";
import { backupOf, backupSteps, wayBack } from "./upgrade-backup.ts";

const CHECK_DEADLINE_MS = 30_000;

/** The steps from the current release to another one. `keep` releases stay besides those that still have processes. */
export function upgradeSteps(
  host: Host,
  release: UnpackedRelease,
  {
    from,
    keep,
    backup = null,
  }: {
    readonly from: string;
    readonly keep: number;
    /** Backs the host up before migrations. Null: no backup is made. */
    readonly backup?: { readonly from: ReleaseManifest; readonly make: () => Promise<string> } | null;
  },
): readonly Step[] {
  const { version } = release.manifest;
  const isSwitched = () => runsAs(host, version);
  return [
    copyRelease(host.layout, release),
    always(`check that ${version} runs on this host`, () => checkProgram(host.layout, version)),
    ...(backup === null ? [] : backupSteps(host, { ...backup, to: release.manifest, isSwitched })),
    switchRelease(host, { from, to: version }),
    removeOldReleases(host.layout, keep),
  ];
}

/**
 * Restarts the service with another release. If it does not become ready, the previous release is started again.
 * Engines keep running with the release that started them.
 */
export const switchRelease = (host: Host, { from, to }: { readonly from: string; readonly to: string }): Step => ({
  what: `restart orchd.service as ${to}; back to ${from} when it does not get ready`,
  isDone: () => runsAs(host, to),
  async run() {
    const before = await linkedVersion(host.layout.previous);
    await linkRelease(host.layout.previous, from);
    try {
      await activateRelease(host, to);
    } catch (error) {
      const failure = await goBack(host, { from, to, error });
      await (before === null ? rm(host.layout.previous) : linkRelease(host.layout.previous, before));
      throw failure;
    }
  },
});

/** Both, because an earlier run may have been interrupted between them. */
const runsAs = async (host: Host, version: string): Promise<boolean> =>
  (await linkedVersion(host.layout.current)) === version && (await runningVersion(host)) === version;

/** The error after a failed upgrade, with the outcome of the rollback. */
async function goBack(
  host: Host,
  { from, to, error }: { readonly from: string; readonly to: string; readonly error: unknown },
): Promise<CliFailure> {
  const reason = `${to} did not get ready: ${messageOf(error)}`;
  const logs = "journalctl -u orchd shows why";
  try {
    await activateRelease(host, from);
    return new CliFailure("unavailable", `${reason}; ${from} runs again`, null, logs);
  } catch (second) {
    const outcome = `and ${from} did not get ready again: ${messageOf(second)}`;
    const back = (await backupOf(host.layout, from)) === null ? "" : `; ${await wayBack(host.layout, from)}`;
    return new CliFailure("unavailable", `${reason}; ${outcome}`, null, logs + back);
  }
}

/** Runs the release's program, so that an incompatible host is detected before the service stops. */
async function checkProgram(layout: Layout, version: string): Promise<void> {
  const folder = releaseFolder(layout, version);
  const args = [join(folder, "bin/orchd.js"), "--version"];
  const options = { reject: false, stdin: "ignore", timeout: CHECK_DEADLINE_MS } as const;
  const { stdout, shortMessage, stderr } = await execa(join(folder, "bin/node"), args, options);
  if (stdout.trim() === version) return;
  throw new CliFailure("unexpected", `${shortMessage ?? `it says it is ${stdout.trim()}`} ${stderr}`.trim());
}

/** Removes all but the newest releases. The current and the previous one stay, and those that processes run from. */
export function removeOldReleases(layout: Layout, keep: number): Step {
  const removable = async () => {
    const inUse = new Set(releaseProcesses(layout.releases).map(({ version }) => version));
    const links = await Promise.all([layout.current, layout.previous].map(linkedVersion));
    const rest = (await installedReleases(layout)).filter((version) => !links.includes(version));
    const kept = links.filter((version) => version !== null).length;
    return rest.slice(Math.max(0, keep - kept)).filter((version) => !inUse.has(version));
  };
  return {
    what: `remove releases that nothing runs from, except the newest ${keep}`,
    isDone: async () => (await removable()).length === 0,
    async run() {
      for (const version of await removable()) await rm(releaseFolder(layout, version), { recursive: true });
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
