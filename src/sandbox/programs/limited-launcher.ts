import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_HOST, type Host } from "../host.ts";
import { ProgramTree } from "../processes/program-tree.ts";
import { PROGRAM_MARK, LivePrograms } from "../processes/live-programs.ts";
import {
  LaunchFailed,
  type ProgramExit,
  type ProgramStart,
  type StartedProgram,
  type ProgramLauncher,
} from "./program-launcher.ts";
import type { DiskQuota } from "../disk/disk-quota.ts";
import { DiskWatch } from "../disk/disk-watch.ts";
import { OomScore } from "../processes/oom-score.ts";
import { limitScript } from "./limit-script.ts";
import { type ProgramCgroup, ProgramCgroups, closeEntries, removeCgroup } from "../cgroups/program-cgroups.ts";
import { type ProgramLimits, ProgramWatch } from "../processes/program-watch.ts";

/** The first descriptor behind the streams of a program. */
const FIRST_ENTRY = { output: 3, all: 4 } as const;
/** Not searched on the PATH of a program, which may be anything. */
const NICE_PROGRAMS = ["/usr/bin/nice", "/bin/nice"];
/** `SIGXFSZ` as a shell reports it. */
const FILE_SIZE_EXIT = 128 + 25;

/** A program whose processes are limited, found and ended together. */
export interface LimitedProgram extends StartedProgram {
  readonly tree: ProgramTree;
  /** Aborts when it exceeds a limit, with the reason as text for its user. Then the caller ends the tree. */
  readonly exceeded: AbortSignal;
  /** After its end: the limit for which the kernel ended a process of it, or null. */
  limitReached(exit: ProgramExit): string | null;
}

/** The limits of all programs of a {@link LimitedLauncher}, and what starts them. */
export interface LimitedLauncherOptions {
  readonly launcher: ProgramLauncher;
  readonly limits: ProgramLimits;
  /** The cgroups in which this process may create those of its programs. None: the limits are watched. */
  readonly cgroupFolders: readonly string[];
  readonly disk: DiskQuota;
  /** See `LimitScript`. Default: no limit. */
  readonly userTasks?: number | null;
  /** The kernel lets this process signal what it started, and nothing else. */
  readonly signalsOwnAlone: boolean;
  readonly host?: Host;
}

/** Starts programs within limits: those of {@link ProgramLimits} and the disk quota hold for all of them together. */
export class LimitedLauncher implements ProgramLauncher {
  readonly #options: LimitedLauncherOptions;
  readonly #host: Host;
  readonly #cgroups: ProgramCgroups;
  readonly #nice: string | null;
  readonly #oomScore = new OomScore();
  readonly #programs: LivePrograms;
  readonly #watch: ProgramWatch;
  readonly diskWatch: DiskWatch;

  constructor(options: LimitedLauncherOptions) {
    const { cgroupFolders: folders, limits, disk, signalsOwnAlone, host = DEFAULT_HOST } = options;
    const hasFile = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
    this.#options = options;
    this.#host = host;
    this.#cgroups = new ProgramCgroups(folders);
    this.#programs = new LivePrograms(options);
    const hasCpu = hasFile("cpu.weight") || hasFile("cpu.shares");
    this.#nice = hasCpu ? null : (NICE_PROGRAMS.find((path) => existsSync(path)) ?? null);
    const hasMemory = hasFile("memory.max") || hasFile("memory.limit_in_bytes");
    this.#watch = new ProgramWatch(
      {
        maxProcesses: hasFile("pids.max") ? 0 : limits.maxProcesses,
        memoryMb: hasMemory ? 0 : limits.memoryMb,
      },
      host.words,
    );
    this.diskWatch = new DiskWatch(disk, { signalsOwnAlone, inBackground: host.inBackground });
  }

  async start(program: ProgramStart): Promise<LimitedProgram> {
    const { disk } = this.#options;
    // An earlier program may have used it up since the last measure. Its usage must not be that of this one.
    if (disk.isFull || !disk.isMeasured || disk.look().roomBytes === 0) await disk.remeasure();
    const cgroup = this.#createCgroup();
    const mark = randomUUID();
    this.#programs.add(mark, null);
    let started: StartedProgram;
    try {
      started = await this.#startIn(cgroup, { ...program, env: { ...program.env, [PROGRAM_MARK]: mark } });
    } catch (error) {
      this.#programs.remove(mark);
      this.#host.inBackground("removal of a program's cgroup", removeCgroup(cgroup));
      throw error;
    }
    const tree = new ProgramTree(started, mark, { cgroup, others: this.#programs });
    this.#programs.add(mark, tree);
    const exceeded = new AbortController();
    const pids = () => tree.pids();
    const watches = [
      this.#watch.watch({ pids, end: (reason) => exceeded.abort(reason) }),
      this.diskWatch.watch({
        pids,
        stop: () => tree.stop(),
        resume: () => tree.resume(),
        async end(reason) {
          tree.denyGrace();
          exceeded.abort(reason);
          await tree.end();
        },
      }),
    ];
    const dispose = () => {
      started.dispose();
      this.#programs.remove(mark);
      for (const endWatch of watches) endWatch();
      this.#host.inBackground("measurement of the disk", disk.refresh());
      this.#host.inBackground("removal of a program's cgroup", removeCgroup(cgroup));
    };
    return {
      ...started,
      tree,
      exceeded: exceeded.signal,
      limitReached: (exit) => this.#limitReached(exit, cgroup),
      dispose,
    };
  }

  /** Also ends what earlier programs left behind: nobody else would find it. */
  async close(): Promise<void> {
    const { launcher } = this.#options;
    await launcher.close();
    const ended = await this.#programs.endLeftovers();
    if (ended > 0) this.#host.logger.info({ ended }, "ended processes that programs left behind");
  }

  #createCgroup(): ProgramCgroup | null {
    try {
      return this.#cgroups.create();
    } catch (error) {
      this.#host.logger.error({ err: error }, "failed to create the cgroup of a program");
      throw new LaunchFailed("the command cannot be started: its limits cannot be set");
    }
  }

  async #startIn(cgroup: ProgramCgroup | null, program: ProgramStart): Promise<StartedProgram> {
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

  #limitReached({ exitCode, signal }: ProgramExit, cgroup: ProgramCgroup | null): string | null {
    const kills = cgroup?.oomKills() ?? 0;
    if (kills > 0)
      return `${kills} of its processes were ended because ${this.#host.words.programs} may use ${this.#options.limits.memoryMb} MB of memory`;
    if (signal === "SIGXFSZ" || exitCode === FILE_SIZE_EXIT)
      return this.#options.disk.note() ?? "it wrote a file that is larger than what is left of the disk quota";
    return null;
  }
}
