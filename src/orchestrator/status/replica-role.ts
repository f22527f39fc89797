import type { ReplicaRole } from "../../contract/orchestrator/host.ts";
import type { Leader } from "../store/leaders.ts";

/** Which daemon leads, as last read from the database. */
export class Replica {
  readonly #ownUrl: string | null;
  #leader: Leader | null = null;
  #leads = false;
  #term = new AbortController();
  /** How often another daemon than before was found to lead. */
  changes = 0;

  /** `ownUrl`: the URL at which other replicas reach this one. */
  constructor(ownUrl: string | null) {
    this.#ownUrl = ownUrl;
  }

  follow(leader: Leader | null): void {
    this.#set(leader);
    this.#leads = false;
  }

  lead(leader: Leader): void {
    this.#set(leader);
    this.#leads = true;
  }

  get role(): ReplicaRole {
    return this.#leads ? "leader" : "follower";
  }

  /** The address of the leader, or its name. */
  get leader(): string | null {
    return this.#leader?.url ?? this.#leader?.name ?? null;
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** An id of the leader's machine and network namespace. */
  get leaderPlace(): string | null {
    return this.#leader?.place ?? null;
  }

  /** The URL to which calls are passed on. Null while it is unknown, such as when it is this daemon's own from before. */
  get leaderUrl(): string | null {
    const url = this.#leader?.url ?? null;
    return !this.#leads && url === this.#ownUrl ? null : url;
  }

  /** Aborted when the leader changes. */
  get term(): AbortSignal {
    return this.#term.signal;
  }

  #set(leader: Leader | null): void {
    const before = this.#leader;
    this.#leader = leader;
    if (before === null || leader === null || leader.epoch === before.epoch) return;
    this.changes++;
    this.#term.abort();
    this.#term = new AbortController();
  }
}
