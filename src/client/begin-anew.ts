import type { ClientLimits } from "./limits.ts";
import type { Retry } from "./http-call.ts";
import { retryWait } from "./retry-rule.ts";
import { type TurnEvent, failureOf } from "./turn-event.ts";
import { pause } from "./waiting.ts";

/**
 * A turn that the model's provider turned away before it had said or done anything is begun anew, as the interface
 * guides: its two last events are left out then, and the next turn's `started` follows. Any other end is an end.
 */
export async function* beginAnew(
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
    let nothingYet = true;
    let waitMs: number | null = null;
    const held: TurnEvent[] = [];
    for await (const event of attempt(tries)) {
      if (nothingYet && isErrored(event)) {
        // What comes behind it in the same write says whether it counts.
        held.push(event);
        continue;
      }
      nothingYet &&= event.event === "thread_lifecycle" || event.event === "heartbeat" || event.event === "error";
      if (nothingYet && event.event === "error" && event.data.error === "LLM_RATE_LIMITED") {
        const error = failureOf(event.data);
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
