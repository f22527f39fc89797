import type { Retry } from "./http-call.ts";
import type { ClientLimits } from "./limits.ts";
import { retryWait } from "./retry-rule.ts";
import { pause } from "./timeouts.ts";
import { type TurnEvent, toError } from "./turn-event.ts";

/**
 * Starts a turn again if the model's provider refused it before any output. The refused turn's last two events are
 * dropped, and the next turn's `started` follows. Every other end is final.
 */
export async function* retryTurn(
  attempt: (tries: number) => AsyncIterable<TurnEvent>,
  {
    limits,
    signal,
    onRetry,
  }: {
    readonly limits: ClientLimits;
    readonly signal: AbortSignal;
    readonly onRetry: ((retry: Retry) => void) | undefined;
  },
): AsyncGenerator<TurnEvent> {
  for (let tries = 1; ; tries++) {
    let isEmpty = true;
    let waitMs: number | null = null;
    const held: TurnEvent[] = [];
    for await (const event of attempt(tries)) {
      if (isEmpty && isErrored(event)) {
        // The `error` event after it decides whether the turn is retried.
        held.push(event);
        continue;
      }
      isEmpty &&= event.event === "thread_lifecycle" || event.event === "heartbeat" || event.event === "error";
      if (isEmpty && event.event === "error" && event.data.error === "LLM_RATE_LIMITED") {
        const error = toError(event.data);
        waitMs = retryWait(error, { tries, repeatable: true, limits, random: Math.random() });
        if (waitMs !== null) {
          onRetry?.({ kind: "turn", error, tries, waitMs });
          break;
        }
      }
      yield* held.splice(0);
      yield event;
    }
    if (waitMs === null) return;
    await pause(waitMs, signal);
  }
}

const isErrored = (event: TurnEvent): boolean => event.event === "thread_lifecycle" && event.data.phase === "errored";
