import { type BudgetName, isMoney, periodEnd, periodOf, shownAmount } from "../../contract/orchestrator/budgets.ts";
import { type BudgetReport, type EngineBudgets, NO_ENGINE_BUDGETS } from "../../contract/engine/budgets.ts";
import { dayOf } from "../../contract/engine/metered-usage.ts";
import { type Clock, delay, isoTime } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import type { UsageTable } from "../store/usage-table.ts";
import { type Amount, priceOn, reservationOf, spentOf } from "./spending.ts";

/** Why a call is not made. The fields are those of the error's `details`. */
export interface BudgetRefusal {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> & { readonly budget: string; readonly retry_after: number };
}

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
const RETRY_SOON_S = 10;

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
    if (unpriced !== undefined) return { kind: "refused", refusal: this.#noPrice(unpriced, `${provider} ${model}`) };
    const reservation = reservationOf({ input: input(), output }, price);
    const end = new Deadline(waitMs);
    this.#waiting.add(reservation);
    try {
      for (;;) {
        const verdict = this.#verdict();
        if (verdict.kind === "refuse") return { kind: "refused", refusal: verdict.refusal };
        if (verdict.kind === "open" || signal.aborted) return this.#reserve(reservation);
        if (end.isOver) return { kind: "refused", refusal: this.#waitedTooLong(verdict.limit) };
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
        return { kind: "refuse", refusal: this.#spentRefusal(limit, spent) };
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

  #spentRefusal(limit: Limit, spent: number): BudgetRefusal {
    const { scope, name } = limit;
    const now = this.#parts.now();
    const end = periodEnd(name, now);
    const whose = scope === "engine" ? "the user's" : "the product's";
    const shown = `${shownAmount(name, limit.limit)} ${this.#unit(name)}`;
    return {
      message: `${whose} budget of ${shown} is spent; it resets at ${isoTime(end)}`,
      details: {
        ...this.#details(limit),
        // An engine knows only its own share of the product's budget.
        ...(scope === "engine" && { spent: shownAmount(name, spent) }),
        resets_at: isoTime(end),
        retry_after: Math.ceil((end - now) / 1000),
      },
    };
  }

  #waitedTooLong(limit: Limit): BudgetRefusal {
    const why =
      limit.scope === "engine"
        ? "the rest of the user's budget is reserved by calls in flight"
        : "the daemon has granted no further share of the product's budget";
    return { message: `${why}; try again later`, details: { ...this.#details(limit), retry_after: RETRY_SOON_S } };
  }

  #noPrice(limit: Limit, model: string): BudgetRefusal {
    const end = periodEnd(limit.name, this.#parts.now());
    return {
      message: `the price of ${model} is unknown, so that its cost cannot be held against a budget; the operator adds it to ORCH_PRICES`,
      details: {
        ...this.#details(limit),
        reason: "price_unknown",
        retry_after: Math.ceil((end - this.#parts.now()) / 1000),
      },
    };
  }

  #details({ scope, name, limit }: Limit) {
    return { budget: `${scope}.${name}`, limit: shownAmount(name, limit) };
  }

  #unit(name: BudgetName): string {
    const period = name.endsWith("day") ? "a day" : "a month";
    return isMoney(name) ? `${this.#budgets.currency ?? ""} ${period}`.trim() : `tokens ${period}`;
  }
}

const sumOf = (amounts: Iterable<Amount>, name: BudgetName): number =>
  [...amounts].reduce((sum, { tokens, micros }) => sum + (isMoney(name) ? micros : tokens), 0);
