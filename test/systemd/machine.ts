import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Test } from "tap";
import { acquireLock } from "../../src/shared/file-lock.ts";
import { CgroupFolder } from "../../src/sandbox/cgroups/cgroup-folder.ts";
import { temporaryFolder } from "../helpers/run.ts";
import { until } from "../helpers/until.ts";

const root = resolve(import.meta.dirname, "../..");
const NEEDED = ["systemd-nspawn", "nsenter", "dbus-daemon"];
const OTHER_MACHINE_MS = 120_000;
/** What confines engines, and systemd-nspawn of systemd 252 does not allow by itself. */
const CONFINING_CALLS = "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp pidfd_getfd";

const PASSWD = `root:x:0:0:root:/root:/bin/sh
messagebus:x:100:100::/nonexistent:/usr/sbin/nologin
orchd:x:990:990::/var/lib/orchd:/usr/sbin/nologin
nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin
`;
const GROUP = `root:x:0:
messagebus:x:100:
orchd:x:990:
nogroup:x:65534:
`;

/** Why no systemd can be booted here; false when it can. */
export function cannotBoot(): string | false {
  if (process.getuid?.() !== 0) return "only root may boot a container";
  const missing = NEEDED.find((program) => !existsSync(join("/usr/bin", program)));
  if (missing !== undefined) return `needs ${missing} (packages systemd-container, util-linux and dbus)`;
  return existsSync("/usr/lib/systemd/systemd") ? false : "needs systemd (package systemd-sysv)";
}

interface Machine {
  /** Runs a program in the machine; returns what it printed. Throws when it fails. */
  run(...command: readonly string[]): string;
  /** As {@link run}, while this process goes on. For at most 10 minutes. Does not throw: returns the exit code too. */
  start(...command: readonly string[]): Promise<{ readonly code: number; readonly output: string }>;
  /** A property of a unit, as `systemctl show` has it. */
  show(property: string, unit?: string): string;
  /** The end of its console and of the daemon's log, for a failure's message. */
  log(): string;
}

/** This checkout as the installed release. */
const CHECKOUT = [`--bind-ro=${root}:/opt/orchd/current`];

/**
 * Boots systemd as process 1 of a container, on the network of this host, with a user orchd. `files` have absolute paths;
 * `enabled` are units of multi-user.target; `mounts` are options of systemd-nspawn, by default this checkout as the
 * installed release.
 */
export async function bootMachine(
  t: Test,
  {
    files,
    enabled,
    mounts = CHECKOUT,
  }: {
    readonly files: Readonly<Record<string, string>>;
    readonly enabled: readonly string[];
    readonly mounts?: readonly string[];
  },
): Promise<Machine> {
  // Two containers would share their cgroups.
  const lock = await acquireLock(join(tmpdir(), "orchd-test-machine.lock"), OTHER_MACHINE_MS);
  if (lock === null) throw new Error("another test's container runs for too long");
  t.teardown(() => lock.release());
  const folder = temporaryFolder("orchd-machine");
  chmodSync(folder, 0o755);
  fillRoot(folder, { files, enabled });
  const options = `--quiet --register=no --keep-unit --boot --machine=orchd-${process.pid}`.split(" ");
  const folders = [`--directory=${folder}`, "--bind-ro=/usr", ...mounts];
  const nspawn = spawn("systemd-nspawn", [...options, ...folders, `--system-call-filter=${CONFINING_CALLS}`], {
    env: { PATH: "/usr/bin:/bin", SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const output of [nspawn.stdout, nspawn.stderr]) output.on("data", (chunk: Buffer) => (printed += String(chunk)));
  t.teardown(async () => {
    await end(nspawn);
    removeCgroups();
    rmSync(folder, { recursive: true, force: true });
  });
  const entering = (command: readonly string[]) => [
    "-t",
    String(leaderOf(nspawn)),
    ..."-m -p -u -i -C --".split(" "),
    ...command,
  ];
  const inside = (command: readonly string[]) =>
    spawnSync("nsenter", entering(command), { encoding: "utf8", timeout: 60_000 });
  await until("systemd runs", () => {
    if (nspawn.exitCode !== null) throw new Error(`the container exited:\n${printed}`);
    return (
      leaderOf(nspawn) !== null &&
      /^(starting|running|degraded)$/m.test(inside(["systemctl", "is-system-running"]).stdout)
    );
  });
  const run = (...command: readonly string[]) => {
    const { status, stdout, stderr } = inside(command);
    if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
    return stdout;
  };
  const start = async (...command: readonly string[]) => {
    const env = { PATH: "/usr/local/bin:/usr/sbin:/usr/bin", HOME: "/root" };
    const child = spawn("nsenter", entering(command), { env, stdio: ["ignore", "pipe", "pipe"], timeout: 600_000 });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
    const [code] = await once(child, "close");
    return { code: Number(code ?? -1), output };
  };
  return {
    run,
    start,
    show: (property, unit = "orchd") => run("systemctl", "show", "--value", "-p", property, unit).trim(),
    log: () => `${printed.slice(-2000)}\n${inside(["journalctl", "-u", "orchd", "--no-pager", "-n", "40"]).stdout}`,
  };
}

function fillRoot(
  folder: string,
  { files, enabled }: { readonly files: Readonly<Record<string, string>>; readonly enabled: readonly string[] },
): void {
  for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(folder, name));
  for (const name of ["usr", "opt", "var/lib", "var/tmp", "tmp", "root", "srv"])
    mkdirSync(join(folder, name), { recursive: true });
  const all: Readonly<Record<string, string>> = {
    "/etc/os-release": readFileSync("/etc/os-release", "utf8"),
    // With an id there is no first boot, which would ask questions and enable units of /usr.
    "/etc/machine-id": `${randomUUID().replaceAll("-", "")}\n`,
    "/etc/passwd": PASSWD,
    "/etc/group": GROUP,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const wants = join(folder, "etc/systemd/system/multi-user.target.wants");
  mkdirSync(wants, { recursive: true });
  for (const unit of enabled) symlinkSync(`/etc/systemd/system/${unit}`, join(wants, unit));
  symlinkSync("/usr/lib/systemd/system/multi-user.target", join(folder, "etc/systemd/system/default.target"));
}

/** Process 1 of the container. */
function leaderOf({ pid }: ChildProcess): number | null {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return children[0] ? Number(children[0]) : null;
}

/** What systemd-nspawn leaves below the cgroup of this process. */
function removeCgroups(): void {
  const [, own = "/"] = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8")) ?? [];
  for (const mount of ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"]) {
    for (const name of ["payload", "supervisor"]) {
      const folder = new CgroupFolder(join(mount, own, name));
      if (folder.exists()) folder.remove();
    }
  }
}

/** With its process 1 the kernel ends all processes of the container. */
async function end(nspawn: ChildProcess): Promise<void> {
  if (nspawn.exitCode !== null || nspawn.signalCode !== null) return;
  const exited = once(nspawn, "exit");
  process.kill(leaderOf(nspawn) ?? nspawn.pid ?? 0, "SIGKILL");
  await exited;
}
