import type { Request } from "express";
import type { WhenBusy } from "../../contract/engine/when-busy.ts";
import type { ExecuteRequest } from "../../contract/engine/requests.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { SentMessage } from "../turns/message-intake.ts";
import { bodyHash } from "./store-message.ts";

/** The form of an answer to a message that may wait. A caller that accepts both gets a stream only of a turn. */
export const wantsStream = (request: Request, { waits }: { readonly waits: boolean }): boolean => {
  const forms = waits ? ["application/json", "text/event-stream"] : ["text/event-stream", "application/json"];
  return request.accepts(forms) === "text/event-stream";
};

/** The message of a call that has an id or may wait; null for one that neither has nor may. */
export function sentMessage(
  execution: ExecuteRequest,
  {
    fallback,
    isReader,
    key,
  }: {
    readonly fallback: WhenBusy;
    /** Whether the caller follows the message until its turn has ended. */
    readonly isReader: boolean;
    /** The id of a message that has none and may wait. */
    readonly key: string | undefined;
  },
): SentMessage | null {
  const { task_id: taskId, interrupt = false } = execution;
  const whenBusy = whenBusyOf(execution, { fallback, isReader });
  if (interrupt && whenBusy !== "steer") throw new InvalidInput("interrupt", "expected only with when_busy steer");
  const { message_id: messageId = whenBusy === "reject" ? undefined : key } = execution;
  if (messageId === undefined && whenBusy === "reject") return null;
  return { taskId, messageId: messageId ?? newId("msg"), bodyHash: bodyHash(execution), whenBusy, interrupt };
}

/**
 * A message that is cancelled when its client leaves can wait only for a client that stays. A message that is answered
 * again is the last one of its task, so that nothing can come before.
 */
function whenBusyOf(
  { when_busy: wanted, on_disconnect: onDisconnect, regenerate = false }: ExecuteRequest,
  { fallback, isReader }: { readonly fallback: WhenBusy; readonly isReader: boolean },
): WhenBusy {
  if (regenerate && wanted !== undefined && wanted !== "reject")
    throw new InvalidInput("when_busy", "expected reject with regenerate: true");
  const whenBusy = regenerate ? "reject" : (wanted ?? fallback);
  if (whenBusy === "reject" || onDisconnect !== "cancel" || isReader) return whenBusy;
  if (wanted === undefined) return "reject";
  throw new InvalidInput("on_disconnect", "expected cancel only with Accept: text/event-stream, or when_busy reject");
}
