import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { CANNOT_START, ENGINE_EXITS } from "../../contract/engine/exit.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { programFor } from "../../contract/engine/program.ts";
import { LAUNCH_FILE_VARIABLE, NOT_ISOLATED } from "../../contract/engine/launch-file.ts";
import {
  dropCapabilities,
  type PreparedRules,
  prepareRules,
  restrictTo,
  setResourceLimit,
} from "../../sandbox/rights.ts";
import { closeInPrograms, nativeProblem } from "../../sandbox/sockets.ts";
import { sharedFileRules } from "./file-rules.ts";
import { programDir } from "./program-dir.ts";

/** Lets the proxy of the tools listen on a port that the kernel chooses. */
const ANY_PORT = 0;

/** Twice as many as the engine's connections, files and pipes need. */
const OPEN_FILES = 8192;

type Environment = Readonly<Record<string, string | undefined>>;

export interface Confined {
  /** The content of the launch file. */
  readonly text: string | null;
  /** The name of the program that the launch file asks for. */
  readonly program: string;
}

/** Parsed in full later. A daemon of an earlier version writes no isolation. */
type Launch = Omit<EngineLaunch, "isolation" | "settings"> & Partial<Pick<EngineLaunch, "isolation" | "settings">>;

/**
 * Reads the launch file and confines this process. It is the first code of an engine and runs before the thread pool:
 * threads inherit the domain of the thread that starts them. Returns null, with an exit code set, when a promised part
 * of the isolation cannot be applied. A launch file that cannot be read is reported later.
 */
export function confine(environment: Environment): Confined | null {
  const file = environment[LAUNCH_FILE_VARIABLE];
  return confineTo(file === undefined ? null : readFileSync(file, "utf8"), environment);
}

/** As {@link confine}, with the content of a launch file, and with rules that were prepared for the confinement. */
export function confineTo(
  text: string | null,
  environment: Environment,
  prepared: PreparedRules | null = null,
): Confined | null {
  const launch = launchOf(text);
  try {
    if (launch !== null) confineProcess(launch, environment, prepared);
    return { text, program: programFor(launch?.settings ?? {}) };
  } catch (error) {
    process.exitCode = ENGINE_EXITS.isolation_failed.code;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${CANNOT_START} isolation: ${reason}; see ORCH_ISOLATION\n`);
    return null;
  }
}

function launchOf(text: string | null): Launch | null {
  try {
    return text === null ? null : (JSON.parse(text) as Launch);
  } catch {
    return null;
  }
}

function confineProcess(
  {
    isolation = NOT_ISOLATED,
    data_dir,
    port,
    listen_fd,
    extra_ca_certs,
    product_catalog,
    tool_network,
    tool_listen,
    tool_cgroups = [],
    user_tasks,
    settings = {},
  }: Launch,
  environment: Environment,
  prepared: PreparedRules | null,
): void {
  // Otherwise tools could answer the engine's callers.
  if (listen_fd !== undefined) closeInPrograms(listen_fd);
  if (nativeProblem() === null) {
    // A core dump holds keys.
    setResourceLimit("core", 0, 0);
    lowerLimit("nofile", OPEN_FILES);
    if (user_tasks !== undefined) lowerLimit("nproc", user_tasks);
  }
  if (!isolation.engine) return;
  if (isolation.required && !isolation.sockets && tool_network !== "open")
    throw new Error('this host keeps tool_network by port only, and ORCH_ISOLATION is "require"');
  dropCapabilities();
  const own = [
    environment["NODE_COMPILE_CACHE"],
    extra_ca_certs,
    product_catalog?.folder,
    settings["ENGINE_WORD_VECTORS"],
  ];
  const files = own.filter((path) => typeof path === "string").filter((path) => path.startsWith("/"));
  const ports = [...(listen_fd === undefined ? [port] : []), ANY_PORT, ...tool_listen];
  // The parent folders, because Landlock does not recognise a cgroup that is created again. File modes protect siblings.
  const cgroups = tool_cgroups.map((folder) => dirname(folder));
  restrictTo(prepared ?? prepareConfinement(), {
    // A tool's domain is within the engine's.
    read: [...files, ...isolation.read],
    write: [data_dir, ...cgroups],
    bind: ports,
    connect: null,
  });
}

/** The part of the rules that is the same for every engine. Throws where processes cannot be confined. */
export const prepareConfinement = (): PreparedRules =>
  prepareRules({ ...sharedFileRules(programDir()), bind: [], connect: null });

const LIMIT_NAMES = { nofile: "open files", nproc: "processes" } as const;

/** Keeps a limit of the host that is lower. */
function lowerLimit(resource: keyof typeof LIMIT_NAMES, limit: number): void {
  const line = new RegExp(`^Max ${LIMIT_NAMES[resource]} +\\S+ +(\\S+)`, "m");
  const [, hard = ""] = line.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  if (hard === "unlimited" || Number(hard) > limit) setResourceLimit(resource, limit, limit);
}
