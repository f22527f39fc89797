import type { Database } from "./database.ts";
import type { Store } from "./open-store.ts";

/** Base of what reads and writes tables: its statements are fields, prepared once. */
export abstract class Table {
  protected readonly store: Store;
  protected readonly db: Database;

  constructor(store: Store) {
    this.store = store;
    this.db = store.db;
  }
}
