import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { CallOutcome } from "../contract/broker/broker-order.ts";
import type { ModelRoute } from "../contract/broker/call-key.ts";
import type { CallCounts } from "./call-counts.ts";
import { type KeyCall, KeyCooldowns, type KeyRefusal } from "./key-cooldowns.ts";
import { KeyRates } from "./key-rates.ts";
import { limitAnswer } from "./limit-answer.ts";
import { endUnread } from "./refuse-call.ts";

interface ModelCall {
  readonly route: ModelRoute;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What limits the calls with a provider's key, of all engines together: the provider's cooldowns, and the operator's setting. */
export class KeyLimits {
  readonly #cooldowns = new KeyCooldowns();
  readonly #rates = new KeyRates();
  readonly #counts: Pick<CallCounts, "count">;

  constructor(counts: Pick<CallCounts, "count">) {
    this.#counts = counts;
  }

  /** Whether a call with this key may have to wait, so that its model must be known before it is sent. */
  concerns(route: ModelRoute): boolean {
    return this.#cooldowns.concerns(route);
  }

  /** Null when the call is not to be sent, which the engine is told in the provider's place, or has ended. */
  async admit(call: ModelCall, model: KeyCall["model"]): Promise<KeyCall | null> {
    const { route, response } = call;
    const admitted = this.#cooldowns.admit(route, model);
    if ("status" in admitted) return this.#refuse(call, "cooldown", admitted);
    response.once("close", () => this.#cooldowns.released(admitted));
    const { waitMs, isRefused } = this.#rates.turn(route);
    if (isRefused) return this.#refuse(call, "over_rate", { status: 429, retryAfterMs: waitMs });
    if (waitMs > 0) await delay(waitMs);
    return response.closed ? null : admitted;
  }

  /** Learns from an answer when the provider may be called again. */
  saw(admitted: KeyCall, { statusCode: status = 502, headers }: IncomingMessage, body: string): void {
    if (status < 400) this.#cooldowns.answered(admitted);
    else this.#cooldowns.failed(admitted, { status, headers, body }, Date.now());
  }

  #refuse(call: ModelCall, outcome: CallOutcome, refusal: KeyRefusal): null {
    const { provider } = call.route;
    this.#counts.count(provider, outcome);
    endUnread(call, { status: refusal.status, ...limitAnswer(provider, refusal) });
    return null;
  }
}
