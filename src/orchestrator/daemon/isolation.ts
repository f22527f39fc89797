import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { inBackground } from "../../shared/background.ts";
import { programName } from "../../contract/engine/program.ts";
import { InvalidSettings } from "../../shared/environment.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Isolation } from "../../contract/orchestrator/records.ts";
import { EngineSnapshots } from "../fleet/process/engine-snapshots.ts";
import { CompileCache } from "../fleet/isolation/compile-cache.ts";
import { type HostIsolation, assessIsolation } from "../fleet/isolation/host-isolation.ts";
import type { ProcessBackendOptions } from "../fleet/process/process-backend.ts";
import type { Config } from "./config.ts";

const engineEntry = (installDir: string): string => join(installDir, "bin", "orch-engine.cjs");
/** Reads an engine's folder for a backup. */
export const folderProgram = (installDir: string): string => join(installDir, "dist", "orchd-folder.cjs");
const bundleDir = (installDir: string): string => join(installDir, "dist");

export interface IsolationParts {
  readonly config: Config;
  readonly installDir: string;
}

/** Assesses this host's isolation. Throws `InvalidSettings` for folders that tools must not read. */
export async function processIsolation({ config, installDir }: IsolationParts): Promise<HostIsolation> {
  return assessIsolation({
    mode: config.isolation,
    read: await readableFolders(config),
    trial: {
      uids: config.engineUids,
      nodePath: process.execPath,
      files: await realPaths([
        process.execPath,
        engineEntry(installDir),
        bundleDir(installDir),
        join(bundleDir(installDir), `${programName("sandbox")}.cjs`),
        join(bundleDir(installDir), `${programName("sandbox")}.blob`),
        ...(config.extraCaCerts === null ? [] : [config.extraCaCerts]),
      ]),
      dataDir: await realpath(config.dataDir),
    },
  });
}

/** How engines start: from snapshots, and with a compile cache, which is filled in the background. */
export function openEngineStart({
  config,
  installDir,
  logger,
  stopping,
}: {
  readonly config: Config;
  readonly installDir: string;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}): Pick<ProcessBackendOptions, "nodePath" | "engineEntry" | "snapshots" | "compileCache"> {
  const program = { nodePath: process.execPath, engineEntry: engineEntry(installDir) };
  const built = { ...program, bundleDir: bundleDir(installDir), logger };
  const compileCache = new CompileCache({ ...built, folder: join(config.dataDir, "cache") });
  // A cache filled for snapshots proves an earlier trial. A later mismatch is noticed by the engine's exit code.
  const snapshots = new EngineSnapshots({ ...built, isProven: () => compileCache.isFilled("later") });
  inBackground("fill of the compile cache", fill(compileCache, snapshots, stopping));
  return { ...program, snapshots, compileCache };
}

/** Fills the compile cache. With snapshots, only with the code that engines load after their start. */
async function fill(cache: CompileCache, snapshots: EngineSnapshots, stopping: AbortSignal): Promise<void> {
  await cache.fill((await snapshots.areUsable()) ? "later" : "all", stopping);
}

/** The one line at start. */
export function logIsolation({ mode, parts }: Isolation, logger: Logger): void {
  const active = parts.filter((part) => part.active).map(({ name }) => name);
  const missing = parts.flatMap(({ name, problem, fix }) =>
    problem === null || mode === "off" ? [] : [{ name, problem, fix }],
  );
  logger[missing.length === 0 ? "info" : "warn"]({ mode, active, missing }, "assessed the isolation of engines");
}

const realPaths = (paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map((path) => realpath(path).catch(() => path)));

/** Resolves symbolic links, so that no folder leads to the data folder. */
async function readableFolders({ toolReadPaths, dataDir }: Config): Promise<readonly string[]> {
  const data = await realpath(dataDir);
  const problems: string[] = [];
  const folders: string[] = [];
  for (const path of toolReadPaths) {
    const real = await realpath(path).catch(() => null);
    if (real === null) problems.push(`ORCH_TOOL_READ_PATHS: expected folders that exist, got "${path}"`);
    else if (contains(real, data) || contains(data, real))
      problems.push(`ORCH_TOOL_READ_PATHS: expected folders apart from the data folder, got "${path}"`);
    else folders.push(real);
  }
  if (problems.length > 0) throw new InvalidSettings(problems);
  return folders;
}

const contains = (folder: string, path: string): boolean => relative(folder, path).split("/")[0] !== "..";
