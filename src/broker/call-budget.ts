import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelRoute } from "../contract/broker/call-key.ts";
import type { BudgetRefusal } from "../contract/broker/problem.ts";
import type { DaemonRoad } from "./ask-daemon.ts";
import type { RequestBounds } from "./request-body.ts";
import { type CallUsage, UsageScanner } from "./usage-scanner.ts";

/** How long a call waits for calls in flight, as an engine waits. */
const WAIT_MS = 30_000;
const RETRY_MS = 50;
const RETRY_SOON_S = 10;
/** A settlement that no daemon takes within this time is the reservation's own, which expires. */
const SETTLE_MS = 600_000;
const NOTHING: CallUsage = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

type Bounds = RequestBounds & { readonly model: string };

/** One reservation in the budgets for each model call, before it is sent. */
export class CallBudgets {
  readonly #road: Pick<DaemonRoad, "ask">;
  readonly #settling = new Set<Promise<unknown>>();

  constructor(road: Pick<DaemonRoad, "ask">) {
    this.#road = road;
  }

  /** A refusal when a budget is spent. Rejects with `DaemonAway` when no daemon answers. */
  async reserve(
    { engine, incarnation, provider }: ModelRoute,
    bounds: Bounds,
    signal: AbortSignal,
  ): Promise<Reservation | BudgetRefusal> {
    const { model, input, output } = bounds;
    const id = randomUUID();
    const end = performance.now() + WAIT_MS;
    try {
      for (;;) {
        const asked = { id, engine, incarnation, provider, model, input, output };
        const { verdict, message, details } = await this.#road.ask("reserve", asked, { signal });
        if (verdict === "reserved") return new Reservation(bounds, (usage) => this.#settle(id, usage));
        if (verdict === "refused") return { message, details };
        if (performance.now() > end) return { message, details: { ...details, retry_after: RETRY_SOON_S } };
        await delay(RETRY_MS, undefined, { signal });
      }
    } catch (error) {
      // The daemon may have reserved it.
      this.#settle(id, NOTHING);
      throw error;
    }
  }

  /** Resolves when the daemon knows what all calls have used, or has been away for long. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling);
  }

  #settle(id: string, usage: CallUsage): void {
    const settling = this.#road
      .ask("settle", { id, ...usage }, { deadlineMs: SETTLE_MS })
      // It expires by the rule of the daemon.
      .catch(() => undefined)
      .finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
  }
}

/** What a call may still cost, until it has ended. */
export class Reservation {
  readonly #bounds: Bounds;
  readonly #settle: (usage: CallUsage) => void;
  readonly #scanner = new UsageScanner();
  #isAnswered = false;
  #isWhole = false;
  #isOver = false;

  constructor(bounds: Bounds, settle: (usage: CallUsage) => void) {
    this.#bounds = bounds;
    this.#settle = settle;
  }

  /** The provider works on the request, and charges it. */
  answered(): void {
    this.#isAnswered = true;
  }

  see(chunk: Buffer): void {
    this.#scanner.see(chunk);
  }

  /** The answer has all arrived. */
  whole(): void {
    this.#isWhole = true;
  }

  /** The call has ended, however. Idempotent. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(this.#used());
  }

  #used(): CallUsage {
    if (!this.#isAnswered) return NOTHING;
    const { input, output } = this.#bounds;
    // A provider that tells nothing may have used all that it was allowed to.
    if (this.#isWhole) return this.#scanner.usage() ?? { ...NOTHING, input, output };
    return this.#scanner.estimate(this.#bounds);
  }
}
