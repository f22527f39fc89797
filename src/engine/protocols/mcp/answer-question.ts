import type { PendingRequest } from "../../../contract/engine/human-request.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { readOutcome } from "./question-form.ts";

/** An open question or permission prompt. Throws for one that is open no longer. */
export async function findRequest(calls: EngineCalls, id: string): Promise<PendingRequest> {
  const { requests } = await calls.call<{ readonly requests: readonly PendingRequest[] }>("pending");
  const found = requests.find(({ request_id }) => request_id === id);
  if (found === undefined) throw calls.error("HITL_NOT_FOUND", "request_id: no open question has this id");
  return found;
}

export const respond = (calls: EngineCalls, request_id: string, answer: string): Promise<unknown> =>
  calls.call("respond", { body: { request_id, answer } });

/** Takes the result of a client's form. False when its user has left the question open. */
export async function takeForm(
  calls: EngineCalls,
  { id, options, result }: { readonly id: string; readonly options: readonly string[]; readonly result: unknown },
): Promise<boolean> {
  const outcome = readOutcome(result, options);
  if (outcome.kind === "left") return false;
  try {
    await respond(calls, id, outcome.answer);
  } catch (error) {
    if (!isOver(calls, error)) throw error;
  }
  return true;
}

/** Whether the question is open no longer: another client was first, or the turn has ended. The turn's events report it. */
export const isOver = (calls: EngineCalls, error: unknown): boolean =>
  ["HITL_NOT_FOUND", "HITL_ALREADY_ANSWERED"].includes(calls.described(error).code);
