import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../cli/release/activate-release.ts";
import type { UnpackedRelease } from "../../cli/release/copy-release.ts";
import { layoutOf, linkedVersion } from "../../cli/release/release-layout.ts";
import { openFolder } from "../../cli/release/open-release.ts";
import { CliFailure } from "../../cli/exit-codes.ts";

/** A release with the files that its installation needs. Its Node.js prints the version that it is asked for. */
export async function fakeRelease(
  parent: string,
  version: string,
  {
    migrations = ["0001-a"],
    units = ["orchd.service"],
    runs = true,
  }: { migrations?: readonly string[]; units?: readonly string[]; runs?: boolean } = {},
): Promise<UnpackedRelease> {
  const folder = join(parent, `orchd-${version}`);
  const contents: Record<string, string> = {
    "bin/node": `#!/bin/sh\necho ${runs ? version : "broken"}\n`,
    "bin/orchctl": "#!/bin/sh\n",
    "systemd/orchd.env.example": "#ORCH_PORT=7700\n",
    "systemd/orchd.sysusers": "",
    "systemd/orchd.tmpfiles": "",
    ...Object.fromEntries(units.map((unit) => [`systemd/${unit}`, `# ${version}\n`])),
  };
  const files: Record<string, string> = {};
  for (const [name, text] of Object.entries(contents)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    if (name.startsWith("bin/")) chmodSync(file, 0o700);
    files[name] = createHash("sha256").update(readFileSync(file)).digest("hex");
  }
  const manifest = { version, arch: process.arch, node: "26.0.0", postgres: "18.1", migrations, files };
  writeFileSync(join(folder, "release.json"), JSON.stringify(manifest));
  return openFolder(folder);
}

export interface FakeHost extends Host {
  /** The commands so far, as `systemctl restart orchd.service`. */
  readonly commands: readonly string[];
  /** Versions that do not get ready. */
  readonly broken: Set<string>;
  /** What the service runs. */
  running: string | null;
}

/** A system below a folder. Its service runs what `current` leads to when it is started. */
export function fakeHost(root: string): FakeHost {
  const layout = layoutOf(root);
  const commands: string[] = [];
  const host: FakeHost = {
    layout,
    isImage: false,
    readyDeadlineMs: 0,
    commands,
    broken: new Set(),
    running: null,
    manager: {
      async run(program, args) {
        commands.push([program, ...args].join(" "));
        if (args[0] === "stop") host.running = null;
        if (args[0] !== "restart" && args[0] !== "start") return;
        const version = await linkedVersion(layout.current);
        host.running = version === null || host.broken.has(version) ? null : version;
        if (host.running === null) throw new CliFailure("unexpected", "Job for orchd.service failed");
      },
      probe: () => Promise.resolve({ version: host.running, problem: "connect ECONNREFUSED" }),
    },
  };
  return host;
}
