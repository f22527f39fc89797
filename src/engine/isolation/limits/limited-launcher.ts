import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../../shared/logger.ts";
import { CALL_MARK, CommandTree } from "../command-tree.ts";
import {
  LaunchFailed,
  type ProgramExit,
  type ProgramStart,
  type StartedProgram,
  type ToolLauncher,
} from "../tool-launcher.ts";
import type { DiskQuota } from "./disk-quota.ts";
import { OomScore } from "./oom-score.ts";
import { limitScript } from "./limit-script.ts";
import { type ToolCgroup, ToolCgroups, closeEntries } from "./tool-cgroups.ts";
import { type ToolLimits, ToolWatch } from "./tool-watch.ts";

/** The first descriptor behind the streams of a program. */
const FIRST_ENTRY = { output: 3, all: 4 } as const;
/** Not searched on the PATH of a tool, which may be anything. */
const NICE_PROGRAMS = ["/usr/bin/nice", "/bin/nice"];
/** `SIGXFSZ` as a shell reports it. */
const FILE_SIZE_EXIT = 128 + 25;

/** A program whose processes are limited, found and ended together. */
export interface LimitedProgram extends StartedProgram {
  readonly tree: CommandTree;
  /** Aborts when it exceeds a limit, with the reason as text for the model. Then the caller ends the tree. */
  readonly exceeded: AbortSignal;
  /** After its end: the limit for which the kernel ended a process of it, or null. */
  limitReached(exit: ProgramExit): string | null;
}

export interface LimitedLauncherOptions {
  readonly launcher: ToolLauncher;
  readonly limits: ToolLimits;
  /** The cgroups in which this engine may create those of its tools. None: its limits are watched. */
  readonly cgroupFolders: readonly string[];
  readonly disk: DiskQuota;
  /** See `LimitScript`. Default: no limit. */
  readonly userTasks?: number | null;
  /** The kernel lets this process signal what it started, and nothing else. */
  readonly signalsOwnAlone: boolean;
  readonly logger: Logger;
}

/** Starts the programs of tools, each within the limits of the engine's policy. */
export class LimitedLauncher implements ToolLauncher {
  readonly #options: LimitedLauncherOptions;
  readonly #cgroups: ToolCgroups;
  readonly #nice: string | null;
  readonly #oomScore = new OomScore();
  readonly watch: ToolWatch;

  constructor(options: LimitedLauncherOptions) {
    const { cgroupFolders: folders, limits, disk } = options;
    const hasFile = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
    this.#options = options;
    this.#cgroups = new ToolCgroups(folders);
    const hasCpu = hasFile("cpu.weight") || hasFile("cpu.shares");
    this.#nice = hasCpu ? null : (NICE_PROGRAMS.find((path) => existsSync(path)) ?? null);
    const hasMemory = hasFile("memory.max") || hasFile("memory.limit_in_bytes");
    this.watch = new ToolWatch(
      { maxProcesses: hasFile("pids.max") ? 0 : limits.maxProcesses, memoryMb: hasMemory ? 0 : limits.memoryMb },
      disk,
    );
  }

  async start(program: ProgramStart): Promise<LimitedProgram> {
    const { disk, logger } = this.#options;
    if (disk.isFull || !disk.isMeasured) await disk.remeasure();
    const cgroup = this.#createCgroup();
    const mark = randomUUID();
    let started: StartedProgram;
    try {
      started = await this.#startIn(cgroup, { ...program, env: { ...program.env, [CALL_MARK]: mark } });
    } catch (error) {
      void cgroup?.remove();
      throw error;
    }
    const tree = new CommandTree(started, mark, { cgroup, signalsOwnAlone: this.#options.signalsOwnAlone });
    const exceeded = new AbortController();
    const endWatch = this.watch.watch({
      pids: () => tree.pids(),
      diskCeiling: disk.ceiling(),
      end: (reason) => exceeded.abort(reason),
    });
    const dispose = () => {
      started.dispose();
      endWatch();
      void disk.refresh();
      void cgroup?.remove().then((removed) => {
        if (!removed) logger.warn({ pids: cgroup.pids() }, "failed to remove the cgroup of a tool");
      });
    };
    return {
      ...started,
      tree,
      exceeded: exceeded.signal,
      limitReached: (exit) => this.#limitReached(exit, cgroup),
      dispose,
    };
  }

  close(): Promise<void> {
    return this.#options.launcher.close();
  }

  #createCgroup(): ToolCgroup | null {
    try {
      return this.#cgroups.create();
    } catch (error) {
      this.#options.logger.error({ err: error }, "failed to create the cgroup of a tool");
      throw new LaunchFailed("the command cannot be started: its limits cannot be set");
    }
  }

  async #startIn(cgroup: ToolCgroup | null, program: ProgramStart): Promise<StartedProgram> {
    const { launcher, disk } = this.#options;
    const descriptors = cgroup?.openEntries() ?? [];
    try {
      const script = limitScript({
        entries: descriptors.map((_, index) => FIRST_ENTRY[program.streams] + index),
        fileBytes: disk.fileBytes(),
        nice: this.#nice,
        userTasks: this.#options.userTasks ?? null,
      });
      const argv = ["/bin/sh", "-c", script, "sh", ...program.argv];
      return await this.#oomScore.whileStarting(() => launcher.start({ ...program, argv, descriptors }));
    } finally {
      closeEntries(descriptors);
    }
  }

  #limitReached({ exitCode, signal }: ProgramExit, cgroup: ToolCgroup | null): string | null {
    const kills = cgroup?.oomKills() ?? 0;
    if (kills > 0)
      return `${kills} of its processes were ended because tools may use ${this.#options.limits.memoryMb} MB of memory`;
    if (signal === "SIGXFSZ" || exitCode === FILE_SIZE_EXIT)
      return this.#options.disk.note() ?? "it wrote a file that is larger than what is left of the disk quota";
    return null;
  }
}
