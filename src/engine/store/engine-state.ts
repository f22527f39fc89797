import { join } from "node:path";
import type { MemoryReset } from "../../contract/engine/health.ts";
import { isoTime } from "../../shared/clock.ts";
import type { Database, Statement } from "./database.ts";

/** Named values about the store itself. Written within the caller's transaction, if there is one. */
export interface StateValues {
  /** The previous store was damaged and moved aside. */
  readonly memory_reset: { readonly at: number; readonly file: string; readonly reason: string };
  /** Events up to this stamp are deleted; numbering continues from it. */
  readonly events_floor: { readonly seq: number; readonly ts: number };
  /** Identifies this store to the daemon, which collects its usage. */
  readonly usage_ledger: { readonly id: string };
  /** The last message that is in the full-text index of messages. */
  readonly messages_indexed: {
    readonly through: number;
    /** Only while the index is rebuilt: the number of the last task whose title is in it again. */
    readonly titles?: number | undefined;
  };
  /** Tasks whose deletion has begun, each with the number of the last event before. */
  readonly removals: Readonly<Record<string, number>>;
  /** Signs links to files. `previous` signed those before `since`. */
  readonly link_secret: { readonly key: string; readonly since: number; readonly previous: string | null };
  /** The model of the vectors of memories. `generation` counts its changes; `hasOutdated` until all of others are gone. */
  readonly embeddings: {
    readonly model: string;
    readonly dimensions: number | null;
    readonly generation: number;
    readonly hasOutdated: boolean;
  };
  /** How many rows memory had when all segments of its full-text index became one. None after something was forgotten. */
  readonly index_merged: { readonly rows: number };
  /** The facts and lines that the last profile page was made of. */
  readonly profile: { readonly input: string };
  /** A memory erasure is in progress. */
  readonly erasure: { readonly at: number };
  /** A staged memory file is being imported; progress by step and line. */
  readonly import: {
    readonly step: number;
    readonly line: number;
    readonly imported: Readonly<Record<string, number>>;
    readonly skipped: Readonly<Record<string, number>>;
    /** Omitted by engines of earlier releases, whose files have no numbers. */
    readonly offsets?: { readonly messages: number; readonly branches: number; readonly lines: number };
  };
}

export class EngineState {
  readonly #db: Database;
  readonly #get: Statement;

  constructor({ db }: { readonly db: Database }) {
    this.#db = db;
    this.#get = db.prepare("select value from engine_state where name = ?");
  }

  get<Name extends keyof StateValues>(name: Name): StateValues[Name] | null {
    const row = this.#get.get(name);
    return row === undefined ? null : (JSON.parse(String(row["value"])) as StateValues[Name]);
  }

  set<Name extends keyof StateValues>(name: Name, value: StateValues[Name]): void {
    this.#db
      .prepare("insert or replace into engine_state (name, value) values (?, ?)")
      .run(name, JSON.stringify(value));
  }

  remove(name: keyof StateValues): void {
    this.#db.prepare("delete from engine_state where name = ?").run(name);
  }
}

/** The notice that a damaged store was moved aside, until it is cleared. Cached: `/health` must not need the store. */
export class ResetNotice {
  readonly #state: EngineState;
  #current: MemoryReset | null;
  /** Whether this start moved it aside. */
  readonly isNew: boolean;

  constructor(state: EngineState, { dataDir, isNew }: { readonly dataDir: string; readonly isNew: boolean }) {
    this.#state = state;
    this.isNew = isNew;
    const reset = state.get("memory_reset");
    this.#current =
      reset === null ? null : { at: isoTime(reset.at), old_file: join(dataDir, reset.file), reason: reset.reason };
  }

  get current(): MemoryReset | null {
    return this.#current;
  }

  clear(): void {
    this.#state.remove("memory_reset");
    this.#current = null;
  }
}
