import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import type { EngineFolders } from "./file-rules.ts";
import { readableProgramPath } from "./program-path.ts";
import type { NetworkAccess } from "./network/tool-network.ts";
import { openProgramPipes } from "./program-pipes.ts";
import { pinSandboxPaths } from "./sandbox-paths.ts";
import {
  LaunchFailed,
  type NetworkSource,
  type ProgramStart,
  type SandboxRequest,
  type StartedProgram,
  type ToolLauncher,
  launchFailure,
} from "./tool-launcher.ts";
import { ToolThread } from "./tool-thread.ts";

export interface ConfinedLauncherOptions {
  readonly folders: EngineFolders;
  /** Files and folders outside of the engine's own that programs may read. */
  readonly readable: readonly string[];
  /** Network access for programs of this request. */
  readonly network: NetworkSource;
  /** TCP ports that tools may listen on and connect to. */
  readonly listen: readonly number[];
  /** The text of tool-worker.ts as a bundle. */
  readonly program: string;
  readonly logger: Logger;
  /** A thread without a running program ends after this time. Default: 2 minutes. */
  readonly idleMs?: number;
}

const IDLE_MS = 120_000;

/** One thread, and what it is confined to. */
interface Entry {
  readonly key: string;
  readonly thread: Promise<ToolThread>;
  idleTimer: NodeJS.Timeout | undefined;
}

/**
 * Starts programs in worker threads that have confined themselves, one thread for each sandbox. A start fails when its
 * thread cannot be confined or dies; the next start creates another thread. No program ever starts unconfined.
 */
export class ConfinedLauncher implements ToolLauncher {
  readonly #options: ConfinedLauncherOptions;
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(options: ConfinedLauncherOptions) {
    this.#options = options;
  }

  async start(program: ProgramStart): Promise<StartedProgram> {
    try {
      return await this.#start(program);
    } catch (error) {
      throw launchFailure(error);
    }
  }

  async #start({ argv, cwd, env, streams, descriptors = [], sandbox = {} }: ProgramStart): Promise<StartedProgram> {
    // Starts libuv's thread pool. Otherwise the tool thread would start it, and its threads would be confined too.
    await stat(cwd).catch(() => undefined);
    const network = await this.#options.network(sandbox.network);
    if (this.#closed) throw new LaunchFailed("the engine stops");
    const entry = this.#entry(sandbox, network);
    const thread = await entry.thread;
    clearTimeout(entry.idleTimer);
    const pipes = openProgramPipes(streams);
    try {
      const { PATH = "" } = env;
      const own = { ...network.environment, ...env, PATH: this.#readablePath(PATH) };
      const order = { argv, cwd, env: own, stdio: [...pipes.stdio, ...descriptors] };
      const { exited, ...identity } = await thread.start(order);
      exited.then(
        () => this.#endWhenIdle(entry, thread),
        () => undefined,
      );
      const { stdin, stdout, stderr, dispose } = pipes;
      return { ...identity, stdin, stdout, stderr, exited, dispose };
    } catch (error) {
      pipes.dispose();
      this.#endWhenIdle(entry, thread);
      throw error;
    } finally {
      pipes.closeTheirs();
    }
  }

  #readablePath(path: string): string {
    const { folders, readable } = this.#options;
    return readableProgramPath(path, [...Object.values(folders), ...readable]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const threads = await Promise.allSettled([...this.#entries.values()].map(({ thread }) => thread));
    await Promise.all(threads.map(async (one) => one.status === "fulfilled" && one.value.end()));
  }

  #entry(sandbox: SandboxRequest, { proxyPort }: NetworkAccess): Entry {
    const key = JSON.stringify([sandbox.read, sandbox.write, proxyPort]);
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    const entry: Entry = { key, thread: this.#open(sandbox, proxyPort), idleTimer: undefined };
    this.#entries.set(key, entry);
    const over = (error: unknown) => {
      this.#remove(entry);
      if (error !== null) this.#options.logger.error({ err: error }, "tool thread failed");
    };
    entry.thread.then(({ ended }) => ended.then(over), over);
    return entry;
  }

  async #open({ read, write }: SandboxRequest, proxyPort: number | null): Promise<ToolThread> {
    const { folders, readable, listen, program } = this.#options;
    const places = { folders, read: readable };
    const workspace = [folders.workspace];
    // A tool cannot replace these folders by a link, but it can replace a path that an entry names.
    const ownRead = pinSandboxPaths(read ?? [], places);
    try {
      const ownWrite = pinSandboxPaths(write ?? [], places);
      try {
        return await ToolThread.open(
          {
            read: [...readable, ...(read === undefined ? workspace : ownRead.paths)],
            write: [folders.temporary, folders.cache, ...(write === undefined ? workspace : ownWrite.paths)],
            proxyPort,
            listen,
            enginePid: process.pid,
            sharedUser: hasSharedUser(folders),
          },
          program,
        );
      } finally {
        ownWrite.close();
      }
    } finally {
      ownRead.close();
    }
  }

  #remove(entry: Entry): void {
    clearTimeout(entry.idleTimer);
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  #endWhenIdle(entry: Entry, thread: ToolThread): void {
    if (!thread.isIdle) return;
    clearTimeout(entry.idleTimer);
    const end = () => {
      if (!thread.isIdle) return;
      // Before the thread ends, so that the next start creates another one.
      this.#remove(entry);
      void thread.end();
    };
    entry.idleTimer = setTimeout(end, this.#options.idleMs ?? IDLE_MS).unref();
  }
}

/** The folder of all engines belongs to the daemon's user. */
const hasSharedUser = ({ workspace }: EngineFolders): boolean =>
  statSync(dirname(dirname(workspace))).uid === process.getuid?.();
