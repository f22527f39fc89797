import { join, resolve } from "node:path";
import type { Command } from "commander";
import { execa } from "execa";
import { CliFailure, EXIT_CODES } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import type { Host } from "../release/activate-release.ts";
import type { UnpackedRelease } from "../release/copy-release.ts";
import { installSteps } from "../release/install-release.ts";
import { openFolder, ownRelease, withArchive } from "../release/open-release.ts";
import { checkHost, checkPort, checkRelease } from "../release/release-checks.ts";
import {
  installedReleases,
  layoutOf,
  linkedVersion,
  readEnvironment,
  releaseFolder,
} from "../release/release-layout.ts";
import { databaseProblem } from "../release/release-manifest.ts";
import { runSteps } from "../release/release-steps.ts";
import { serviceManager } from "../release/service-manager.ts";
import { uninstallSteps } from "../release/uninstall-release.ts";
import { switchRelease, upgradeSteps } from "../release/upgrade-release.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

/** Two restarts of the service, each within TimeoutStartSec of the unit and the wait until it is ready. */
const UPGRADE_DEADLINE_MS = 30 * 60_000;

interface Options {
  readonly yes: boolean;
}

const hostAt = (root: string): Host => ({
  layout: layoutOf(root),
  manager: serviceManager,
  isImage: root !== "/",
});

/** A command that changes the system: it prints its steps, and takes them with `--yes`. */
const stepCommand = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name)
    .description(`${description}; without --yes only print the steps`)
    .option("-y, --yes", "take the steps", false);

export const installCommand: CommandMaker = (program, settings) => {
  stepCommand(program, "install", "Install this release as a service of systemd")
    .option("--root <folder>", "install into an image below this folder, and start nothing", "/")
    .addHelpText("after", example("sudo ./bin/orchctl install --yes"))
    .action(async ({ yes, root }: Options & { root: string }, command) => {
      const host = hostAt(resolve(root));
      await checkHost(host, { yes });
      const release = await ownRelease();
      const current = await linkedVersion(host.layout.current);
      if (current !== null && current !== release.manifest.version) {
        throw new CliFailure("conflict", `${current} is installed`, null, "orchctl upgrade replaces it");
      }
      await checkRelease(host, release);
      if (current === null && !host.isImage) await checkPort(host);
      await runSteps(installSteps(host, release), { yes, print: sessionOf(command, settings).print });
    });
};

export const upgradeCommand: CommandMaker = (program, settings) => {
  stepCommand(
    program,
    "upgrade [archive]",
    "Replace the installed release by this one or an archive's, with a way back",
  )
    .option("--keep <count>", "how many releases stay on the disk", wholeNumber, 2)
    .addHelpText("after", example("sudo orchctl upgrade orchd-0.2.0-linux-x64.tar.gz --yes"))
    .action(async (archive: string | undefined, { yes, keep }: Options & { keep: number }, command) => {
      const host = hostAt("/");
      await checkHost(host, { yes });
      const { print } = sessionOf(command, settings);
      if (archive !== undefined) {
        const flags = ["--keep", String(keep), ...(yes ? ["--yes"] : []), ...(print.json ? ["--json"] : [])];
        return withArchive(resolve(archive), (unpacked) => upgradeByItself(unpacked, flags));
      }
      const release = await ownRelease();
      const from = await releaseBefore(host, release);
      await checkRelease(host, release);
      await runSteps(upgradeSteps(host, release, { from, keep }), { yes, print });
    });
};

export const rollbackCommand: CommandMaker = (program, settings) => {
  stepCommand(
    program,
    "rollback [version]",
    "Go back to the release before the last upgrade, or to an installed version",
  )
    .addHelpText("after", example("sudo orchctl rollback --yes"))
    .action(async (version: string | undefined, { yes }: Options, command) => {
      const host = hostAt("/");
      await checkHost(host, { yes });
      const to = version ?? (await linkedVersion(host.layout.previous));
      const installed = await installedReleases(host.layout);
      if (to === null || !installed.includes(to)) {
        const advice = `installed: ${installed.join(", ") || "none"}`;
        throw new CliFailure("notFound", `${to ?? "a previous release"} is not installed`, null, advice);
      }
      const from = await releaseBefore(host, await openFolder(releaseFolder(host.layout, to)));
      await runSteps([switchRelease(host, { from, to })], { yes, print: sessionOf(command, settings).print });
    });
};

export const uninstallCommand: CommandMaker = (program, settings) => {
  stepCommand(program, "uninstall", "Remove the service and its releases, and keep its data")
    .option("--stop-engines", "stop every engine, after its running turns", false)
    .option("--purge", "remove the data, the settings and the user too", false)
    .addHelpText("after", example("sudo orchctl uninstall --stop-engines --yes"))
    .action(async ({ yes, stopEngines, purge }: Options & { stopEngines: boolean; purge: boolean }, command) => {
      const host = hostAt("/");
      await checkHost(host, { yes });
      const steps = await uninstallSteps(host, { stopEngines, purge });
      await runSteps(steps, { yes, print: sessionOf(command, settings).print });
    });
};

/** A release knows best which files of the system are its own, so its own program does the upgrade. */
async function upgradeByItself({ folder }: UnpackedRelease, flags: readonly string[]): Promise<void> {
  const options = { stdio: "inherit", reject: false, timeout: UPGRADE_DEADLINE_MS } as const;
  const { exitCode = EXIT_CODES.unexpected.code } = await execa(
    join(folder, "bin/orchctl"),
    ["upgrade", ...flags],
    options,
  );
  process.exitCode = exitCode;
}

/** The release that `target` takes the place of. Throws when there is none, or its database is too new for `target`. */
async function releaseBefore({ layout }: Host, target: UnpackedRelease): Promise<string> {
  const { version } = target.manifest;
  const current = await linkedVersion(layout.current);
  if (current === null) throw new CliFailure("conflict", "orchd is not installed", null, "orchctl install installs it");
  // An upgrade that was interrupted has changed the link already.
  const from = current === version ? ((await linkedVersion(layout.previous)) ?? current) : current;
  const { manifest } = await openFolder(releaseFolder(layout, from));
  const { DATABASE_URL: database = "" } = await readEnvironment(layout);
  const problem = databaseProblem(manifest, target.manifest, { usesBundledServer: database === "" });
  if (problem !== null) throw new CliFailure("conflict", problem);
  return from;
}
