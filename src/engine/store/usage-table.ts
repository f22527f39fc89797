import { randomUUID } from "node:crypto";
import { USAGE_AMOUNTS, USAGE_LIMITS, type UsageAmounts, type UsageRow } from "../../contract/engine/metered-usage.ts";
import type { Store } from "./open-store.ts";
import { Table } from "./table.ts";

const OTHER = "other";

/** Where amounts are added. */
export type UsageKey = Pick<UsageRow, "day" | "provider" | "model">;

const NAMES = USAGE_AMOUNTS.join(", ");
const MARKS = USAGE_AMOUNTS.map(() => "?").join(", ");
const SUMS = USAGE_AMOUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");

/** The engine's ledger: sums by day and model, each with the revision of its last change. */
export class UsageTable extends Table {
  readonly #add = this.db.prepare(
    `insert into usage_days (day, provider, model, revision, ${NAMES}) values (?, ?, ?, ?, ${MARKS})
     on conflict do update set revision = excluded.revision, ${SUMS}`,
  );
  readonly #modelsOf = this.db.prepare("select provider, model from usage_days where day = ?");
  /** The last day with usage. */
  readonly #known = new Set<string>();
  #day = "";
  #revision: number;

  constructor(store: Store) {
    super(store);
    this.#revision = Number(this.db.prepare("select max(revision) as last from usage_days").get()?.["last"] ?? 0);
  }

  /** Runs in a transaction of the caller. */
  add(key: UsageKey, amounts: Partial<UsageAmounts>): void {
    this.ensureLedger();
    const { day, provider, model } = this.#bounded(key);
    this.#add.run(day, provider, model, ++this.#revision, ...USAGE_AMOUNTS.map((name) => amounts[name] ?? 0));
  }

  /** Gives the ledger its id. Runs in a transaction of the caller. */
  ensureLedger(): void {
    const { state } = this.store;
    if (state.get("usage_ledger") === null) state.set("usage_ledger", { id: randomUUID() });
  }

  get revision(): number {
    return this.#revision;
  }

  /** Null before anything was added. */
  get ledger(): string | null {
    return this.store.state.get("usage_ledger")?.id ?? null;
  }

  /** In order of the revision. */
  changedAfter(revision: number, limit: number): UsageRow[] {
    return this.db
      .prepare(
        `select day, provider, model, revision, ${NAMES} from usage_days where revision > ? order by revision limit ?`,
      )
      .all(revision, limit) as unknown as UsageRow[];
  }

  /** The rows of model calls from a day on. */
  modelsSince(day: string): UsageRow[] {
    return this.db
      .prepare(`select day, provider, model, revision, ${NAMES} from usage_days where day >= ? and model <> ''`)
      .all(day) as unknown as UsageRow[];
  }

  /** The last revision stays, so that numbering continues from it. */
  prune(beforeDay: string): void {
    this.db.prepare("delete from usage_days where day < ? and revision < ?").run(beforeDay, this.#revision);
  }

  /** Agents of the catalog may name any number of models. */
  #bounded(key: UsageKey): UsageKey {
    const { day } = key;
    if (day !== this.#day) {
      this.#known.clear();
      for (const { provider, model } of this.#modelsOf.all(day))
        this.#known.add(`${String(provider)}\n${String(model)}`);
      this.#day = day;
    }
    const name = `${key.provider}\n${key.model}`;
    if (key.model === "" || this.#known.has(name)) return key;
    if (this.#known.size >= USAGE_LIMITS.modelsPerDay) return { ...key, model: OTHER };
    this.#known.add(name);
    return key;
  }
}
