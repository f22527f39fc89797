import { type BudgetName, isMoney, periodOf } from "../../contract/orchestrator/budgets.ts";
import {
  type BudgetRefusal,
  spentRefusal,
  unpricedRefusal,
  waitedTooLong,
} from "../../contract/engine/budget-refusals.ts";
import { type BudgetReport, type EngineBudgets, NO_ENGINE_BUDGETS } from "../../contract/engine/budgets.ts";
import { dayOf } from "../../contract/engine/metered-usage.ts";
import { type Clock, delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import type { UsageTable } from "../store/usage-table.ts";
import { type Amount, priceOn, reservationOf, spentOf } from "./spending.ts";

export type Admission =
  /** To be released when the usage of the call is recorded. */
  { readonly kind: "admitted"; release(): void } | { readonly kind: "refused"; readonly refusal: BudgetRefusal };

export interface WantedCall {
  readonly provider: string;
  readonly model: string;
  /** Tokens that are sent, estimated, and the most that may come. */
  readonly input: () => number;
  readonly output: number;
}

interface GateParts {
  readonly table: UsageTable;
  /** Runs in a transaction. */
  readonly transaction: (work: () => void) => void;
  readonly now?: Clock;
  /** How long a call waits for calls in flight, and for a larger share of the product's budget. */
  readonly waitMs?: number;
}

/** The daemon reads wanted amounts together with the engine's status. */
const WAIT_MS = 30_000;

interface Limit {
  readonly scope: "engine" | "product";
  readonly name: BudgetName;
  /** The budget, and what the engine may spend of it now. */
  readonly limit: number;
  readonly granted: number;
  readonly isSpent: boolean;
}

type Verdict =
  | { readonly kind: "open" }
  | { readonly kind: "refuse"; readonly refusal: BudgetRefusal }
  | { readonly kind: "wait"; readonly limit: Limit };

/**
 * Admits model calls as long as budgets last. A call is admitted while what is spent and what the calls in flight reserve
 * is below the limit, so that the last one may exceed it and no other. A call that depends on calls in flight waits.
 */
export class BudgetGate {
  readonly #parts: Required<GateParts>;
  readonly #reserved = new Set<Amount>();
  readonly #waiting = new Set<Amount>();
  #budgets: EngineBudgets = NO_ENGINE_BUDGETS;
  #changed = Promise.withResolvers<void>();
  #sums: { readonly revision: number; readonly day: string; readonly spent: ReadonlyMap<BudgetName, number> } | null =
    null;

  constructor(parts: GateParts) {
    this.#parts = { now: Date.now, waitMs: WAIT_MS, ...parts };
  }

  /** Whether any budget binds the engine. */
  get hasLimits(): boolean {
    return this.#limits().length > 0;
  }

  /** Replaces the budgets. Calls that wait are judged again. */
  set(budgets: EngineBudgets): void {
    this.#budgets = budgets;
    this.#sums = null;
    if (this.#limits().length > 0) this.#parts.transaction(() => this.#parts.table.ensureLedger());
    this.#change();
  }

  /** Why no call can be made now; null when one can, or may after a wait. */
  refusal(): BudgetRefusal | null {
    const verdict = this.#verdict();
    return verdict.kind === "refuse" ? verdict.refusal : null;
  }

  async admit({ provider, model, input, output }: WantedCall, signal: AbortSignal): Promise<Admission> {
    if (this.#limits().length === 0) return { kind: "admitted", release: () => undefined };
    const { now, waitMs } = this.#parts;
    const price = priceOn(this.#budgets.prices, { provider, model, day: dayOf(now()) });
    const unpriced = price === null ? this.#limits().find(({ name }) => isMoney(name)) : undefined;
    if (unpriced !== undefined)
      return { kind: "refused", refusal: unpricedRefusal(unpriced, `${provider} ${model}`, now()) };
    const reservation = reservationOf({ input: input(), output }, price);
    const end = new Deadline(waitMs);
    this.#waiting.add(reservation);
    try {
      for (;;) {
        const verdict = this.#verdict();
        if (verdict.kind === "refuse") return { kind: "refused", refusal: verdict.refusal };
        if (verdict.kind === "open" || signal.aborted) return this.#reserve(reservation);
        if (end.isOver) return { kind: "refused", refusal: waitedTooLong(verdict.limit) };
        await Promise.race([this.#changed.promise, delay(end.leftMs, signal)]);
      }
    } finally {
      this.#waiting.delete(reservation);
    }
  }

  /** For the daemon. Undefined without budgets. */
  report(): BudgetReport | undefined {
    const { ledger } = this.#parts.table;
    const names = [...new Set(this.#limits().map(({ name }) => name))];
    if (ledger === null || names.length === 0) return undefined;
    const spent = names.map((name) => {
      const amount = this.#spent(name);
      const [reserved, wanted] = [sumOf(this.#reserved, name), sumOf(this.#waiting, name)];
      return { name, period: periodOf(name, this.#parts.now()), spent: amount, held: amount + reserved, wanted };
    });
    return { ledger, spent };
  }

  #reserve(reservation: Amount): Admission {
    this.#reserved.add(reservation);
    return {
      kind: "admitted",
      release: () => {
        this.#reserved.delete(reservation);
        this.#change();
      },
    };
  }

  #verdict(): Verdict {
    for (const limit of this.#limits()) {
      const spent = this.#spent(limit.name);
      if (limit.isSpent || (limit.scope === "engine" && spent >= limit.granted))
        return {
          kind: "refuse",
          refusal: spentRefusal(limit, { spent, currency: this.#budgets.currency, now: this.#parts.now() }),
        };
      if (spent + sumOf(this.#reserved, limit.name) >= limit.granted) return { kind: "wait", limit };
    }
    return { kind: "open" };
  }

  #limits(): readonly Limit[] {
    const { own, leases } = this.#budgets;
    const now = this.#parts.now();
    const ofPeriod = (lease: EngineBudgets["leases"][number]) => lease.period === periodOf(lease.name, now);
    return [
      ...own.map(({ name, limit }) => ({ scope: "engine" as const, name, limit, granted: limit, isSpent: false })),
      ...leases.map((lease) => ({
        scope: "product" as const,
        name: lease.name,
        limit: lease.limit,
        granted: ofPeriod(lease) ? lease.granted : 0,
        isSpent: lease.limit === 0 || (ofPeriod(lease) && lease.is_spent),
      })),
    ];
  }

  /** Read from the ledger when it has changed, so that nothing drifts. */
  #spent(name: BudgetName): number {
    const { table, now } = this.#parts;
    const [revision, day] = [table.revision, dayOf(now())];
    if (this.#sums?.revision !== revision || this.#sums.day !== day) {
      const rows = table.modelsSince(`${day.slice(0, 7)}-01`);
      const { prices } = this.#budgets;
      const names = new Set(this.#limits().map((limit) => limit.name));
      const spent = [...names].map((one) => [one, spentOf(one, { rows, prices, now: now() })] as const);
      this.#sums = { revision, day, spent: new Map(spent) };
    }
    return this.#sums.spent.get(name) ?? 0;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const sumOf = (amounts: Iterable<Amount>, name: BudgetName): number =>
  [...amounts].reduce((sum, { tokens, micros }) => sum + (isMoney(name) ? micros : tokens), 0);
