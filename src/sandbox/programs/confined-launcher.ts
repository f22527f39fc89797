import { stat } from "node:fs/promises";
import { DEFAULT_HOST, type Host } from "../host.ts";
import type { ProgramFolders } from "./program-files.ts";
import { readableProgramPath } from "./program-path.ts";
import type { NetworkAccess } from "../proxy/program-network.ts";
import { openProgramPipes } from "./program-pipes.ts";
import { pinPaths } from "./pinned-paths.ts";
import { SocketSupervisor } from "../sockets/socket-supervisor.ts";
import {
  LaunchFailed,
  type NetworkSource,
  type ProgramStart,
  type SandboxRequest,
  type StartedProgram,
  type ProgramLauncher,
  launchFailure,
} from "./program-launcher.ts";
import { LaunchThread } from "./launch-thread.ts";

/** The rules of all programs of a {@link ConfinedLauncher}. */
export interface ConfinedLauncherOptions {
  readonly folders: ProgramFolders;
  /** Files and folders outside of `folders` that programs may read. */
  readonly readable: readonly string[];
  /** Network access for programs of this request. */
  readonly network: NetworkSource;
  /** TCP ports that programs may listen on and connect to. */
  readonly listen: readonly number[];
  /** Others than this process run programs as the same user, which could watch each other's folders. */
  readonly sharedUser: boolean;
  /** The text of launch-worker.ts as a bundle. */
  readonly program: string;
  /** That of supervisor-worker.ts. Null where the host lets no thread supervise sockets. */
  readonly supervisor: string | null;
  readonly host?: Host;
  /** A thread without a running program ends after this time. Default: 2 minutes. */
  readonly idleMs?: number;
}

const IDLE_MS = 120_000;

/** One thread, and what it is confined to. */
interface Entry {
  readonly key: string;
  readonly thread: Promise<LaunchThread>;
  idleTimer: NodeJS.Timeout | undefined;
}

/**
 * Starts programs in worker threads that have confined themselves, one thread for each sandbox. A start fails when its
 * thread cannot be confined or dies; the next start creates another thread. No program ever starts unconfined.
 */
export class ConfinedLauncher implements ProgramLauncher {
  readonly #options: ConfinedLauncherOptions;
  readonly #host: Host;
  readonly #supervisor: SocketSupervisor | null;
  readonly #entries = new Map<string, Entry>();
  /** Also those that get no more programs. */
  readonly #threads = new Set<LaunchThread>();
  #closed = false;

  constructor(options: ConfinedLauncherOptions) {
    this.#options = options;
    const { supervisor, host = DEFAULT_HOST } = options;
    this.#host = host;
    this.#supervisor = supervisor === null ? null : new SocketSupervisor({ program: supervisor, host });
  }

  async start(program: ProgramStart): Promise<StartedProgram> {
    try {
      return await this.#start(program);
    } catch (error) {
      throw launchFailure(error);
    }
  }

  async #start({ argv, cwd, env, streams, descriptors = [], sandbox = {} }: ProgramStart): Promise<StartedProgram> {
    // Starts libuv's thread pool. Otherwise the confined thread would start it, and its threads would be confined too.
    await stat(cwd).catch(() => undefined);
    const network = await this.#options.network(sandbox.network);
    if (this.#closed) throw new LaunchFailed(this.#host.words.closed);
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
    await Promise.allSettled([...this.#entries.values()].map(({ thread }) => thread));
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #entry(sandbox: SandboxRequest, { proxyPort }: NetworkAccess): Entry {
    const key = JSON.stringify([sandbox.read, sandbox.write, proxyPort]);
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    // The next start creates another thread. What runs in this one goes on, without network.
    const retire = (thread: LaunchThread) => {
      this.#remove(entry);
      this.#endWhenIdle(entry, thread);
    };
    const entry: Entry = { key, thread: this.#supervised(sandbox, proxyPort, retire), idleTimer: undefined };
    this.#entries.set(key, entry);
    const over = (error: unknown) => {
      this.#remove(entry);
      if (error !== null) this.#host.logger.error({ err: error }, "thread that starts programs failed");
    };
    entry.thread.then(({ ended }) => ended.then(over), over);
    return entry;
  }

  /** A thread whose sockets are supervised, where that is possible. `retire` is called when they are no longer. */
  async #supervised(
    sandbox: SandboxRequest,
    proxyPort: number | null,
    retire: (thread: LaunchThread) => void,
  ): Promise<LaunchThread> {
    const seat = this.#supervisor?.join();
    try {
      const thread = await this.#open(sandbox, proxyPort);
      this.#threads.add(thread);
      const left = thread.ended.then(() => {
        this.#threads.delete(thread);
        seat?.leave();
      });
      this.#host.inBackground("end of a thread that starts programs", left);
      const { listener } = thread;
      const lost = () => retire(thread);
      if (listener !== null) seat?.serve(listener, { proxyPort, listen: this.#options.listen }).then(lost, lost);
      return thread;
    } catch (error) {
      seat?.leave();
      throw error;
    }
  }

  async #open({ read, write }: SandboxRequest, proxyPort: number | null): Promise<LaunchThread> {
    const { folders, readable, listen, program } = this.#options;
    const places = [...Object.values(folders), ...readable];
    const { words } = this.#host;
    const workspace = [folders.workspace];
    // A program cannot replace these folders by a link, but it can replace a path that a request names.
    const ownRead = pinPaths(read ?? [], places, words);
    try {
      const ownWrite = pinPaths(write ?? [], places, words);
      try {
        return await LaunchThread.open(
          {
            read: [...readable, ...(read === undefined ? workspace : ownRead.paths)],
            write: [folders.temporary, folders.cache, ...(write === undefined ? workspace : ownWrite.paths)],
            proxyPort,
            listen,
            supervised: this.#supervisor !== null,
            ownPid: process.pid,
            sharedUser: this.#options.sharedUser,
          },
          { program, inBackground: this.#host.inBackground },
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

  #endWhenIdle(entry: Entry, thread: LaunchThread): void {
    if (!thread.isIdle || !this.#threads.has(thread)) return;
    clearTimeout(entry.idleTimer);
    const end = () => {
      if (!thread.isIdle) return;
      // Before the thread ends, so that the next start creates another one.
      this.#remove(entry);
      this.#host.inBackground("end of an idle thread that starts programs", thread.end());
    };
    entry.idleTimer = setTimeout(end, this.#options.idleMs ?? IDLE_MS).unref();
  }
}
