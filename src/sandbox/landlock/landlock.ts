import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { hasCode } from "../system/error-code.ts";
import { setNoNewPrivileges } from "../processes/process-limits.ts";
import { SystemCallFailed, callNative, nativeProblem, systemCall } from "../system/system-calls.ts";

/** The numbers are the same on every processor. */
const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const CREATE_RULESET_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const RULE_NET_PORT = 2;
const O_PATH = 0o10000000;
const ENOSYS = 38;
const EOPNOTSUPP = 95;

/** Rights on files, by the ABI version that knows them: kernel documentation, "Landlock: unprivileged access control". */
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const ABI_1 = (1n << 13n) - 1n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const READ_RIGHTS = EXECUTE | READ_FILE | READ_DIR;
const BIND_TCP = 1n;
const CONNECT_TCP = 2n;
/** Abstract Unix sockets and signals stay within the domain. */
const SCOPES = 3n;

/** ABI versions that a rule needs. */
export const LANDLOCK = { firstAbi: 1, truncateAbi: 3, networkAbi: 4, deviceAbi: 5, scopeAbi: 6 } as const;

/** What a thread may still do. */
export interface LandlockRules {
  /** Files and folders to read and execute. One that does not exist is skipped. */
  readonly read: readonly string[];
  /** Files and folders with all rights. One that does not exist is skipped. */
  readonly write: readonly string[];
  /** TCP ports to bind; 0 stands for a port that the kernel chooses. Null does not limit them. */
  readonly bind: readonly number[] | null;
  /** TCP ports to connect to, on any address. Null does not limit them. */
  readonly connect: readonly number[] | null;
}

/** The kernel's Landlock ABI. 0 with a problem when it cannot be used. */
export function landlockAbi(): { readonly abi: number; readonly problem: string | null } {
  const problem = nativeProblem();
  if (problem !== null) return { abi: 0, problem };
  try {
    return { abi: systemCall("landlock_create_ruleset", CREATE_RULESET, 0, 0, CREATE_RULESET_VERSION), problem: null };
  } catch (error) {
    if (!(error instanceof SystemCallFailed)) throw error;
    if (error.errno === ENOSYS) return { abi: 0, problem: "the kernel has no Landlock; Linux 5.13 or newer has it" };
    if (error.errno === EOPNOTSUPP) return { abi: 0, problem: "Landlock is not in the kernel's list of LSMs (lsm=)" };
    return {
      abi: 0,
      problem: `Landlock is refused here (errno ${error.errno}), perhaps by a container's seccomp profile`,
    };
  }
}

/** Rules that restrict nothing yet. */
export interface PreparedRules {
  readonly ruleset: number;
  readonly abi: number;
}

/**
 * Restricts the calling thread, and all threads and programs that it starts, to the rules. A thread restricts itself
 * further by another call, and never gets rights back. What the kernel's ABI lacks is not restricted. Throws
 * {@link SystemCallFailed}.
 */
export function restrictSelf(rules: LandlockRules): void {
  restrictTo(prepareRules(rules), NO_RULES);
}

/** As {@link restrictSelf}, in two steps: {@link restrictTo} is the second. Both name the same kinds of ports. */
export function prepareRules(rules: LandlockRules): PreparedRules {
  const { abi, problem } = landlockAbi();
  if (problem !== null) throw new Error(problem);
  const ports = abi >= LANDLOCK.networkAbi ? handledPorts(rules) : 0n;
  const scopes = abi >= LANDLOCK.scopeAbi ? SCOPES : 0n;
  const prepared = { ruleset: createRuleset({ rights: fileRights(abi), ports, scopes }), abi };
  try {
    addRules(prepared, rules);
    return prepared;
  } catch (error) {
    callNative("close", [prepared.ruleset]);
    throw error;
  }
}

/** Restricts the calling thread to what was prepared and to these rules. */
export function restrictTo(prepared: PreparedRules, rules: LandlockRules): void {
  const { ruleset } = prepared;
  try {
    addRules(prepared, rules);
    setNoNewPrivileges();
    systemCall("landlock_restrict_self", RESTRICT_SELF, ruleset, 0);
  } finally {
    callNative("close", [ruleset]);
  }
}

const NO_RULES: LandlockRules = { read: [], write: [], bind: [], connect: [] };

function addRules({ ruleset, abi }: PreparedRules, rules: LandlockRules): void {
  const rights = fileRights(abi);
  for (const path of rules.read) addPath(ruleset, path, READ_RIGHTS & rights);
  for (const path of rules.write) addPath(ruleset, path, rights);
  if (abi < LANDLOCK.networkAbi) return;
  for (const port of rules.bind ?? []) addPort(ruleset, port, BIND_TCP);
  for (const port of rules.connect ?? []) addPort(ruleset, port, CONNECT_TCP);
}

const handledPorts = ({ bind, connect }: LandlockRules): bigint =>
  (bind === null ? 0n : BIND_TCP) | (connect === null ? 0n : CONNECT_TCP);

function fileRights(abi: number): bigint {
  let rights = ABI_1;
  if (abi >= 2) rights |= REFER;
  if (abi >= LANDLOCK.truncateAbi) rights |= TRUNCATE;
  if (abi >= LANDLOCK.deviceAbi) rights |= IOCTL_DEV;
  return rights;
}

/** The descriptor of a new ruleset, from `struct landlock_ruleset_attr`. */
function createRuleset({ rights, ports, scopes }: Record<"rights" | "ports" | "scopes", bigint>): number {
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(rights, 0);
  attributes.writeBigUInt64LE(ports, 8);
  attributes.writeBigUInt64LE(scopes, 16);
  return systemCall("landlock_create_ruleset", CREATE_RULESET, attributes, attributes.length, 0);
}

/** `struct landlock_path_beneath_attr`, which is packed. */
function addPath(ruleset: number, path: string, rights: bigint): void {
  const file = openPath(path);
  if (file === null) return;
  try {
    const rule = Buffer.alloc(12);
    // The kernel refuses rights of folders on a file.
    rule.writeBigUInt64LE(fstatSync(file).isDirectory() ? rights : rights & FILE_RIGHTS, 0);
    rule.writeInt32LE(file, 8);
    systemCall("landlock_add_rule", ADD_RULE, ruleset, RULE_PATH_BENEATH, rule);
  } finally {
    closeSync(file);
  }
}

/** `struct landlock_net_port_attr` */
function addPort(ruleset: number, port: number, right: bigint): void {
  const rule = Buffer.alloc(16);
  rule.writeBigUInt64LE(right, 0);
  rule.writeBigUInt64LE(BigInt(port), 8);
  systemCall("landlock_add_rule", ADD_RULE, ruleset, RULE_NET_PORT, rule);
}

function openPath(path: string): number | null {
  try {
    return openSync(path, O_PATH | constants.O_RDONLY);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return null;
    throw error;
  }
}
