import type { DatabaseSync } from "node:sqlite";

/** What the store says of itself. Written within the caller's transaction, if there is one. */
export interface StateValues {
  /** The store before this one was damaged, and was set aside. */
  readonly memory_reset: { readonly at: number; readonly file: string; readonly reason: string };
  /** Events before these are gone; those that come are numbered on from here. */
  readonly events_floor: { readonly seq: number; readonly ts: number };
  /** Everything remembered is being erased. */
  readonly erasure: { readonly at: number };
  /** A file that has been read whole is being taken over, up to this step and line. */
  readonly import: {
    readonly step: number;
    readonly line: number;
    readonly imported: Readonly<Record<string, number>>;
    readonly skipped: Readonly<Record<string, number>>;
  };
}

export class EngineState {
  readonly #db: DatabaseSync;

  constructor({ db }: { readonly db: DatabaseSync }) {
    this.#db = db;
  }

  get<Name extends keyof StateValues>(name: Name): StateValues[Name] | null {
    const row = this.#db.prepare("select value from engine_state where name = ?").get(name);
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
