import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exists } from "../../src/shared/files.ts";
import { type Host, SERVICE, applySystemFiles, awaitService, isLinked, linkSystem } from "./activate-release.ts";
import { type UnpackedRelease, copyRelease } from "./copy-release.ts";
import type { Layout } from "./release-layout.ts";
import { type Step, always } from "./release-steps.ts";

/** The steps of a first installation. With another root, such as an image's, nothing is started. */
export function installSteps(host: Host, release: UnpackedRelease): readonly Step[] {
  const { layout, manager, isImage } = host;
  const { version } = release.manifest;
  const enable = isImage ? [`--root=${layout.root}`, "enable", SERVICE] : ["enable", SERVICE];
  return [
    copyRelease(layout, release),
    copyEnvironment(layout, release),
    {
      what: `link the units, the system's files and ${join(layout.root, "usr/local/bin/orchctl")} to ${version}`,
      isDone: () => isLinked(host, version),
      run: () => linkSystem(host, version),
    },
    ...(isImage
      ? []
      : [always("create the user orchd and its folders, and reload systemd", () => applySystemFiles(host))]),
    always("enable orchd.service", () => manager.run("systemctl", enable)),
    ...(isImage ? [] : [start(host, version)]),
  ];
}

/** An existing file is kept: it holds the operator's settings. */
const copyEnvironment = ({ environment }: Layout, { folder }: UnpackedRelease): Step => ({
  what: `create ${environment}, with every setting as a comment`,
  isDone: () => exists(environment),
  async run() {
    await mkdir(dirname(environment), { recursive: true });
    // Created first, so that it is never readable for others.
    await writeFile(environment, "", { mode: 0o600, flag: "wx" });
    await copyFile(join(folder, "systemd/orchd.env.example"), environment);
    await chmod(environment, 0o600);
  },
});

const start = (host: Host, version: string): Step =>
  always(`start orchd.service and wait until ${version} is ready`, async () => {
    await host.manager.run("systemctl", ["start", SERVICE]);
    await awaitService(host, version);
  });
