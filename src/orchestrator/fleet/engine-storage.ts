import type { Member } from "../../shared/tar.ts";
import type { UsageCursor, UsageReport } from "../../contract/engine/metered-usage.ts";
import type { TurnNotice } from "../../contract/engine/turn-notice.ts";

/** The product and user to whom data belong. */
export interface KeptFor {
  readonly product_id: string;
  readonly user_id: string;
}

/** An engine, and the product and user to whom its data belong. */
export interface StoredEngine extends KeptFor {
  readonly id: string;
}

/** Data that a destroy kept, by the name that the storage gives its user. */
export interface KeptData {
  readonly productId: string;
  readonly user: string;
}

/** `missing`: there is nothing to read. `notes`: what was left out, and why the read ended early; empty when complete. */
export type ReadOutcome = { readonly kind: "missing" } | { readonly kind: "read"; readonly notes: string };

export type UncollectedOutcome =
  /** Nothing without a store. */
  | { readonly kind: "read"; readonly usage: readonly UsageReport[]; readonly notices: readonly TurnNotice[] }
  | { readonly kind: "failed"; readonly reason: string };

export interface StorageReader {
  readonly signal: AbortSignal;
  /** Gets each file. The read rejects with what it throws. */
  readonly take: (member: Member, body: AsyncIterable<Uint8Array>) => Promise<void>;
}

/**
 * The files of engines: store, workspace, catalog and log. An engine's own live as long as its record. Those that a
 * destroy kept wait for the user's next engine.
 */
export interface EngineStorage {
  /** Creates an engine's storage, or restores what an earlier destroy kept for its user. Throws {@link LaunchFailed}. */
  prepare(engine: StoredEngine): Promise<void>;
  /** Whether it was restored for a provision that is not finished. */
  isRestored(engine: StoredEngine): Promise<boolean>;
  /** Call it when the provision has succeeded. */
  settle(engine: StoredEngine): Promise<void>;
  /** Undoes {@link prepare}: keeps restored data again, and erases created data. */
  discard(engine: StoredEngine): Promise<void>;
  /** Keeps the data for the user's next engine. Throws {@link StorageUnusable}. */
  keep(engine: StoredEngine): Promise<void>;
  /** Erases all data of the engine. No data is no error. Throws {@link StorageUnusable}. */
  erase(engine: StoredEngine): Promise<void>;
  hasKept(user: KeptFor): Promise<boolean>;
  eraseKept(user: KeptFor): Promise<void>;
  /** The ids of products with kept data. */
  keptProducts(): Promise<readonly string[]>;
  eraseKeptOf(productId: string): Promise<void>;
  listKept(): Promise<readonly KeptData[]>;
  /**
   * Reads what a stopped engine has not told the daemon: its ledger from this position, null for its beginning, and its
   * notices of turns.
   */
  readUncollected(engine: StoredEngine, known: UsageCursor | null, signal: AbortSignal): Promise<UncollectedOutcome>;
  /** Reads the files of an engine, also while it runs, or kept data, as members of an archive. */
  read(what: StoredEngine | KeptData, reader: StorageReader): Promise<ReadOutcome>;
}
