import type { EngineClient } from "@orchd/client";
import type { TurnSteps } from "./turn-steps.ts";

/** Events of one read. The first ones are shown before the next are read. */
const PAGE = 4000;
/** With what becomes of messages that are sent while the turn runs. */
export const EVENTS = "message";

/**
 * Adds the stored events of a turn, and then what comes, to its end. `changed` is called after each part of them.
 * Rejects when the connection is lost; the next call continues after the last event.
 */
export async function followTurn(
  calls: EngineClient,
  turn: { readonly turnId: string; readonly steps: TurnSteps },
  { signal, changed }: { readonly signal: AbortSignal; readonly changed: () => void },
): Promise<void> {
  const { turnId, steps } = turn;
  while (!steps.isOver) {
    const before = steps.lastSeq;
    const { events } = await calls.replay({ turnId, after: before, limit: PAGE, events: EVENTS, signal });
    for (const event of events) steps.add(event);
    if (steps.lastSeq === before) break;
    changed();
  }
  // The `error` event follows the end of a turn that failed.
  if (steps.isOver && steps.phase !== "errored") return;
  if (steps.phase === "errored" && steps.steps.at(-1)?.kind === "error") return;
  for await (const event of calls.follow({ turnId, after: steps.lastSeq, events: EVENTS, signal })) {
    steps.add(event);
    changed();
  }
}

/** Calls a function at most once for each frame that is drawn. */
export function oncePerFrame(call: () => void): { (): void; cancel(): void } {
  let frame = 0;
  const later = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      call();
    });
  };
  return Object.assign(later, { cancel: () => cancelAnimationFrame(frame) });
}
