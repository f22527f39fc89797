import { join, resolve } from "node:path";
import type { Command } from "commander";
import { CliFailure } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { createBackup } from "../create-backup.ts";
import { type Host, serviceUrl } from "../release/activate-release.ts";
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
import { runSteps } from "../release/release-steps.ts";
import { releaseBefore, upgradeByItself } from "../release/replace-release.ts";
import { serviceManager } from "../release/service-manager.ts";
import { uninstallSteps } from "../release/uninstall-release.ts";
import { switchRelease, upgradeSteps } from "../release/upgrade-release.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import type { Settings } from "../settings.ts";

interface Options {
  readonly yes: boolean;
}

const hostAt = (root: string): Host => ({
  layout: layoutOf(root),
  manager: serviceManager,
  isImage: root !== "/",
});

/** A command that changes the system. It prints its steps, and runs them with `--yes`. */
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
    .option("--no-backup", "make no backup before the database is migrated")
    .addHelpText("after", example("sudo orchctl upgrade orchd-0.2.0-linux-x64.tar.gz --yes"))
    .action(async (archive: string | undefined, options: UpgradeOptions, command) => {
      const { yes, keep } = options;
      const host = hostAt("/");
      await checkHost(host, { yes });
      const { print } = sessionOf(command, settings);
      if (archive !== undefined) {
        const flags = [...flagsOf(options), ...(print.json ? ["--json"] : [])];
        return withArchive(resolve(archive), (unpacked) => upgradeByItself(unpacked, flags));
      }
      const release = await ownRelease();
      const before = await releaseBefore(host, release);
      await checkRelease(host, release);
      const make = () => backUp(host, command, settings);
      const backup = options.backup ? { from: before, make } : null;
      await runSteps(upgradeSteps(host, release, { from: before.version, keep, backup }), { yes, print });
    });
};

interface UpgradeOptions extends Options {
  readonly keep: number;
  readonly backup: boolean;
}

const flagsOf = ({ keep, yes, backup }: UpgradeOptions): readonly string[] => [
  "--keep",
  String(keep),
  ...(backup ? [] : ["--no-backup"]),
  ...(yes ? ["--yes"] : []),
];

/** Returns the path of the archive. The service's settings give the daemon's address and key. */
async function backUp(host: Host, command: Command, settings: Settings): Promise<string> {
  const { ORCH_DATA_DIR: dataDir, ORCH_ADMIN_KEY: adminKey } = await readEnvironment(host.layout);
  const service = {
    ...settings,
    url: await serviceUrl(host),
    dataDir: dataDir || host.layout.dataDir,
    adminKey: adminKey || settings.adminKey,
  };
  const { dir, run } = await createBackup(sessionOf(command, service).client).catch((error: unknown) => {
    if (!(error instanceof CliFailure)) throw error;
    const advice = "systemctl start orchd starts the daemon, which makes the backup; --no-backup upgrades without";
    throw new CliFailure(error.exit, error.message, error.code, advice);
  });
  return join(dir, run.name);
}

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
      const { version: from } = await releaseBefore(host, await openFolder(releaseFolder(host.layout, to)));
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
