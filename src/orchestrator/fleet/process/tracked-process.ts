import type { ClaimOutcome } from "../../../contract/orchestrator/spares-report.ts";
import { delay } from "../../../shared/clock.ts";
import type { EngineExit, EngineProcess, ProcessExit, StopOutcome } from "../engine-backend.ts";
import type { DelegatedCgroup } from "../../../sandbox/cgroups.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { removeLaunchFile } from "./launch-file.ts";
import { type OomKills, hostOomKills, killedForMemory } from "../../../sandbox/processes.ts";
import type { ProcessHandle } from "./process-handle.ts";
import { ProcessTree } from "./process-tree.ts";
import { type TreeEnd, stopTree, survivors } from "./stop-ladder.ts";

/** A scan of all processes blocks the event loop, so waiters for the exit run first. */
const CLEAR_DELAY_MS = 5;

/** The process tree of one incarnation, spawned by this daemon or adopted from an earlier one. */
export class TrackedProcess implements EngineProcess {
  readonly handle: ProcessHandle;
  readonly address: string;
  readonly exited: Promise<EngineExit>;
  readonly spare: ClaimOutcome | null;
  readonly #tree: ProcessTree;
  readonly #launchFile: string;
  readonly #cgroup: DelegatedCgroup | null;
  readonly #checkExit: () => void;
  readonly #shareSocket: () => void;
  readonly #forceKill = new AbortController();
  #ending: Promise<TreeEnd> | undefined;

  constructor({
    handle,
    address,
    ended,
    launchFile,
    cgroup,
    cgroups,
    uid,
    spare,
    checkExit,
    shareSocket,
  }: {
    readonly handle: ProcessHandle;
    readonly address: string;
    readonly ended: Promise<ProcessExit>;
    readonly launchFile: string;
    readonly cgroup: DelegatedCgroup | null;
    /** Of all engines. */
    readonly cgroups: EngineCgroups;
    /** The user of its processes. Null for the daemon's own. */
    readonly uid: number | null;
    readonly spare: ClaimOutcome | null;
    /** Makes `ended` detect an exit that was observed otherwise. */
    readonly checkExit: () => void;
    /** Takes a copy of the socket of an adopted engine. */
    readonly shareSocket: () => void;
  }) {
    this.handle = handle;
    this.address = address;
    this.spare = spare;
    const before = this.#oomKills();
    this.exited = ended.then((end) => ({
      ...end,
      oom: killedForMemory({ end, stopping: this.#ending !== undefined, before, after: this.#oomKills() }),
    }));
    this.#launchFile = launchFile;
    this.#cgroup = cgroup;
    this.#checkExit = checkExit;
    this.#shareSocket = shareSocket;
    this.#tree = new ProcessTree({ root: handle, launchFile, cgroup, cgroups, uid });
  }

  /** A second caller joins the running stop. The shorter `termMs` applies. */
  async stop(termMs: number): Promise<StopOutcome> {
    const forceKillTimer = setTimeout(() => this.#forceKill.abort(), termMs);
    try {
      const outcome = await this.#end(termMs);
      if (outcome.kind === "survived") return survivors(outcome.pids);
      this.#checkExit();
      await this.exited;
      return outcome;
    } finally {
      clearTimeout(forceKillTimer);
    }
  }

  /** After the exit of the root: kills its remaining children and removes an unread launch file. */
  async clear(): Promise<TreeEnd> {
    removeLaunchFile(this.#launchFile);
    await delay(CLEAR_DELAY_MS);
    return this.#end(0);
  }

  async settle(): Promise<void> {
    removeLaunchFile(this.#launchFile);
    this.#shareSocket();
  }

  #oomKills(): OomKills {
    return { own: this.#cgroup?.oomKills() ?? null, host: hostOomKills() };
  }

  /** Shared by all callers. After a failure or survivors the next caller tries again. */
  async #end(termMs: number): Promise<TreeEnd> {
    this.#ending ??= stopTree(this.#tree, { termMs, forceKill: this.#forceKill.signal });
    const ending = this.#ending;
    let ended = false;
    try {
      const outcome = await ending;
      ended = outcome.kind !== "survived";
      return outcome;
    } finally {
      if (!ended && this.#ending === ending) this.#ending = undefined;
    }
  }
}
