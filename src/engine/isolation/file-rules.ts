import { join } from "node:path";
import { OWN_OOM_SCORE } from "./limits/oom-score.ts";

/** Programs and libraries of the system. */
export const PROGRAMS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store"];

/** Files and folders of `/etc` that programs need. The others may hold secrets that are readable here. */
const ETC = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "gai.conf",
  "gitconfig",
  "group",
  "host.conf",
  "hostname",
  "hosts",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "locale.conf",
  "localtime",
  "lsb-release",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "npmrc",
  "os-release",
  "passwd",
  "perl",
  "pip.conf",
  "pki/ca-trust",
  "pki/tls/certs",
  "pki/tls/cert.pem",
  "pki/tls/openssl.cnf",
  "profile",
  "profile.d",
  "protocols",
  "python3",
  "redhat-release",
  "resolv.conf",
  "services",
  "shells",
  "ssl/certs",
  "ssl/cert.pem",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
].map((name) => join("/etc", name));

/** Files of the kernel, none of a process: command lines of other users' programs are readable there. */
const KERNEL = [
  "/proc/cpuinfo",
  "/proc/filesystems",
  "/proc/loadavg",
  "/proc/meminfo",
  "/proc/stat",
  "/proc/sys",
  "/proc/uptime",
  "/proc/version",
  "/sys/devices/system/cpu",
  // Limits of the container. Files of subfolders list the processes of neighbours.
  "/sys/fs/cgroup/cpu.max",
  "/sys/fs/cgroup/memory.max",
  "/sys/kernel/mm/transparent_hugepage",
];

const DEVICES = ["full", "null", "random", "tty", "urandom", "zero"].map((name) => join("/dev", name));

/** What a Landlock domain may do with files. */
export interface FileRules {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The folders of one engine. */
export interface EngineFolders {
  readonly workspace: string;
  /** Emptied at each start of the engine. */
  readonly temporary: string;
  /** Of package managers. */
  readonly cache: string;
}

export const engineFolders = (dataDir: string): EngineFolders => ({
  workspace: join(dataDir, "workspace"),
  temporary: join(dataDir, "tmp"),
  cache: join(dataDir, "cache"),
});

/**
 * What every engine may use. `/proc`, because it finds the processes of its tools there. `programDir` contains the
 * engine's bundles.
 */
export const sharedFileRules = (programDir: string): FileRules => ({
  read: [...PROGRAMS, ...ETC, "/proc", ...KERNEL, process.execPath, programDir],
  write: [OWN_OOM_SCORE, ...DEVICES],
});

/** A tool: its folders, and programs of the system. */
export const toolFileRules = (tool: FileRules): FileRules => ({
  read: [...PROGRAMS, ...ETC, ...KERNEL, process.execPath, ...tool.read],
  write: [...DEVICES, ...tool.write],
});
