import { lstat, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readIfThere, unlessMissing } from "../../src/shared/files.ts";
import { CliFailure } from "../exit-codes.ts";
import type { Host } from "./activate-release.ts";
import { linkedVersion, releaseFolder, systemLinks } from "./release-layout.ts";
import { releaseProcesses } from "./release-processes.ts";
import { type Step, always } from "./release-steps.ts";

const STOP_ENGINES = "orchd-stop-engines.service";

interface UninstallOptions {
  /** Removes the data, the settings and the user too. */
  readonly purge: boolean;
  readonly stopEngines: boolean;
}

/** The steps that remove an installation. Without `stopEngines` they are refused while engines run. */
export async function uninstallSteps(host: Host, { purge, stopEngines }: UninstallOptions): Promise<readonly Step[]> {
  const { layout, manager } = host;
  const engines = releaseProcesses(layout.releases).filter(({ isEngine }) => isEngine);
  if (engines.length > 0 && !stopEngines) {
    const message = `${engines.length} engine processes run from ${layout.releases}`;
    throw new CliFailure("conflict", message, null, "--stop-engines stops them, after their running turns");
  }
  const version = await linkedVersion(layout.current);
  const links = version === null ? [] : [...(await systemLinks(layout, releaseFolder(layout, version))).keys()];
  const units = links.filter((link) => dirname(link).endsWith("/systemd/system")).map((link) => basename(link));
  const folders = [layout.opt, ...(purge ? [layout.dataDir, layout.etc] : [])];
  return [
    ...(stopEngines
      ? [always("stop the daemon and every engine", () => manager.run("systemctl", ["start", STOP_ENGINES]))]
      : []),
    // Not by disable --now: it removes the links of the units first, and then finds no unit to stop.
    ...(units.length === 0
      ? []
      : ["stop", "disable"].map((verb) =>
          always(`${verb} ${units.join(", ")}`, () => manager.run("systemctl", [verb, ...units])),
        )),
    ...links.map((link) => removed(link)),
    always("reload systemd", () => manager.run("systemctl", ["daemon-reload"])),
    ...folders.map((folder) => removed(folder)),
    ...(purge ? [removeUser(host)] : []),
  ];
}

const removeUser = ({ layout, manager }: Host): Step => ({
  what: "remove the user orchd",
  isDone: async () => !/^orchd:/m.test((await readIfThere(join(layout.root, "etc/passwd"))) ?? ""),
  run: () => manager.run("userdel", ["orchd"]),
});

const removed = (path: string): Step => ({
  what: `remove ${path}`,
  // Checks the link itself, since its target may be missing.
  isDone: async () => (await unlessMissing(lstat(path))) === null,
  run: () => rm(path, { recursive: true, force: true }),
});
