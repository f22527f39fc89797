import type { AnswerTo, Asked } from "../../contract/broker/questions.ts";
import { productOfCaller } from "../../contract/broker/call-key.ts";
import { dayOf } from "../../contract/engine/metered-usage.ts";
import {
  type BudgetRefusal,
  type RefusingBudget,
  spentRefusal,
  unpricedRefusal,
  waitedTooLong,
} from "../../contract/engine/budget-refusals.ts";
import type { EngineLayers } from "../../contract/orchestrator/engine-policy.ts";
import { type Budgets, isMoney, limitsOf, periodOf } from "../../contract/orchestrator/budgets.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { mostOf, priceOf } from "../rules/call-cost.ts";
import { hasBudgets } from "../rules/engine-budgets.ts";
import { layersOf } from "../store/planned-policy.ts";
import { findCurrentStart } from "./answer-broker.ts";
import { type BoundBudget, reserveCall, settleCall } from "../store/budget-reservations.ts";

export type BudgetHost = Pick<HostContext, "db" | "directory" | "live" | "prices" | "now" | "stopping">;

/** How long a question waits for calls in flight. The broker asks again. */
const WAIT_MS = 2000;

interface Owner {
  readonly productId: string;
  readonly userId: string;
  readonly layers: EngineLayers;
}

/** Answers what the broker asks about engines and their budgets. */
export class BudgetAnswers {
  readonly #host: BudgetHost;
  /** Resolved when a call of the product has ended. */
  readonly #ended = new Map<string, PromiseWithResolvers<void>>();

  constructor(host: BudgetHost) {
    this.#host = host;
  }

  async engine(asked: Asked<"engine">): Promise<AnswerTo<"engine">> {
    const productId = productOfCaller(asked.engine);
    if (productId !== null) {
      const isCurrent = (await this.#host.directory.named(productId)) !== null;
      return { is_current: isCurrent, has_budgets: false, tool_network: "none" };
    }
    const owner = await this.#ownerOf(asked);
    const policy = owner === null ? null : await this.#host.directory.policyOfEngine(owner);
    const network = policy?.tool_network ?? "none";
    return {
      is_current: owner !== null,
      has_budgets: policy !== null && hasBudgets(policy.budgets),
      tool_network: typeof network === "string" ? network : [...network],
    };
  }

  async reserve(asked: Asked<"reserve">): Promise<AnswerTo<"reserve">> {
    const { db, directory, prices, now, stopping } = this.#host;
    const owner = await this.#ownerOf(asked);
    const policy = owner === null ? null : await directory.policyOfEngine(owner);
    if (owner === null || policy === null) throw new ApiError("ENGINE_NOT_FOUND", "the engine has stopped");
    const { id, provider, model, input } = asked;
    const day = dayOf(now());
    const [table, currency] = [prices.table?.prices ?? [], prices.table?.currency ?? null];
    const price = priceOf(table, { provider, model, day });
    const budgets = boundBudgets(policy.budgets, owner.userId, now()).map((one) => ({
      ...one,
      amount: mostOf(one.name, asked, price),
    }));
    const unpriced = price === null ? budgets.find(({ name }) => isMoney(name)) : undefined;
    if (unpriced !== undefined) return refused(unpricedRefusal(refusing(unpriced), `${provider} ${model}`, now()));
    if (budgets.length === 0) return RESERVED;
    const ended = this.#endOf(owner.productId);
    const call = { id, productId: owner.productId, provider, model, day, input, budgets };
    const outcome = await reserveCall(db, call, table);
    if (outcome.kind === "reserved") return RESERVED;
    const { spent, isSpent } = outcome;
    const budget = refusing(outcome.budget);
    if (isSpent) return refused(spentRefusal(budget, { spent, currency, now: now() }));
    await Promise.race([ended.promise, delay(WAIT_MS, stopping)]);
    return { verdict: "wait", ...waitedTooLong(budget) };
  }

  async settle(asked: Asked<"settle">): Promise<AnswerTo<"settle">> {
    const { db, prices } = this.#host;
    const productId = await settleCall(db, asked, prices.table?.prices ?? []);
    if (productId !== null) {
      this.#ended.get(productId)?.resolve();
      this.#ended.delete(productId);
    }
    return {};
  }

  #endOf(productId: string): PromiseWithResolvers<void> {
    const known = this.#ended.get(productId) ?? Promise.withResolvers<void>();
    this.#ended.set(productId, known);
    return known;
  }

  /** Null when this start of the engine has ended. */
  async #ownerOf(start: Asked<"engine">): Promise<Owner | null> {
    const live = this.#host.live.get(start.engine);
    if (live?.incarnation === start.incarnation)
      return { productId: live.productId, userId: live.order.launch.user_id, layers: live.layers };
    const row = await findCurrentStart(this.#host.db, start);
    return row === null ? null : { productId: row.product_id, userId: row.user_id, layers: layersOf(row) };
  }
}

const RESERVED: AnswerTo<"reserve"> = { verdict: "reserved", message: "", details: {} };
const refused = ({ message, details }: BudgetRefusal): AnswerTo<"reserve"> => ({
  verdict: "refused",
  message,
  details,
});

const boundBudgets = (
  { engine, product }: Budgets,
  user: string,
  now: number,
): readonly Omit<BoundBudget, "amount">[] =>
  [engine, product].flatMap((limits, at) =>
    limitsOf(limits).map(({ name, limit }) => ({
      userId: at === 0 ? user : "",
      name,
      period: periodOf(name, now),
      limit,
    })),
  );

const refusing = ({ userId, name, limit }: Omit<BoundBudget, "amount">): RefusingBudget => ({
  scope: userId === "" ? "product" : "engine",
  name,
  limit,
});
