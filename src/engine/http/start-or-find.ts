import type { Request, Response } from "express";
import type { ExecuteRequest } from "../../contract/engine/requests.ts";
import { traceOf } from "../../shared/http/trace-request.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { TaskList } from "../tasks/task-list.ts";
import { unknownAgent } from "../tasks/task-changer.ts";
import { checkClientTools } from "../tools/client-tools.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { FollowerLimit } from "../turns/follower-limit.ts";
import { type Inbox, removed } from "../turns/inbox.ts";
import type { MessageIntake, SentMessage } from "../turns/message-intake.ts";
import type { TaskBranches } from "../turns/task-branches.ts";
import type { StartedTurn, TurnRunner } from "../turns/turn-runner.ts";
import { askedMessage } from "./asked-message.ts";
import { type AnswerStart, answerStart } from "./await-turn.ts";
import { type StartedTurns, findEarlier } from "./earlier-turn.ts";
import { type MessageStorage, bodyHash, storeMessage } from "./store-message.ts";
import { assertMayStart } from "./turn-limit.ts";

export interface StartParts {
  readonly runner: TurnRunner;
  readonly intake: MessageIntake;
  readonly branches: Pick<TaskBranches, "lastAsked">;
  readonly inbox: Inbox;
  readonly journal: EventJournal;
  readonly idempotency: StartedTurns;
  readonly taskList: Pick<TaskList, "defaultsOf">;
  /** Whether the catalog has an agent of this name. */
  readonly hasAgent: (name: string) => boolean;
  /** Whether a built-in tool or one of the catalog has this name. */
  readonly hasTool: (name: string) => boolean;
  /** Stores the attachments of messages. */
  readonly attachments: MessageStorage;
  readonly followerLimit: FollowerLimit;
}

/** A call that sends a message. */
export interface SendingCall {
  readonly request: Request;
  readonly response: Response;
  /** Null for one that has no id and does not wait. */
  readonly message: SentMessage | null;
}

export type Answer =
  | { readonly kind: "started"; readonly turn: StartedTurn }
  /** An earlier call with the same key or message started the turn. */
  | { readonly kind: "earlier"; readonly turn: StartedTurn; readonly afterSeq: number }
  | { readonly kind: "waiting"; readonly message: SentMessage; readonly position: number };

/** The turn that this call or an earlier one starts, or the message that waits for its turn. */
export async function startOrFind(parts: StartParts, call: SendingCall, given: ExecuteRequest): Promise<Answer> {
  const { intake } = parts;
  const key = call.request.get("Idempotency-Key");
  const hash = key === undefined ? "" : bodyHash(given);
  const found = findAnswer(parts, call, { key, hash });
  if (found !== null) return found;
  const execution = { ...parts.taskList.defaultsOf(given.task_id), ...given };
  const { agent, task_id: taskId } = execution;
  assertMayStart(parts.runner, call.request, taskId);
  if (agent !== undefined && !parts.hasAgent(agent)) throw unknownAgent("agent", agent);
  checkClientTools(execution.client_tools ?? [], parts.hasTool);
  // A text message starts its turn in the same tick, without waiting for files.
  const asked = askedMessage(execution, parts);
  let content: UserContent;
  if (asked.kind === "ready") content = asked.message;
  else {
    intake.assertOpenTo(call.message ?? { taskId, whenBusy: "reject" });
    content = await storeMessage(asked.message, parts.attachments);
    // A repeated call may have started the turn meanwhile.
    const meanwhile = findAnswer(parts, call, { key, hash });
    if (meanwhile !== null) return meanwhile;
    // Other calls may have started turns meanwhile.
    assertMayStart(parts.runner, call.request, taskId);
  }
  const storeKey = (turnId: string) => {
    if (key !== undefined) parts.idempotency.insert(key, { bodyHash: hash, turnId }, Date.now());
  };
  const from = { kind: "call", ...traceOf(call.response) } as const;
  const { when_busy: _, interrupt: _interrupt, message_id: _id, ...rest } = execution;
  const request = { ...rest, message: content };
  const { message } = call;
  if (message === null) return { kind: "started", turn: intake.start(request, { alongside: storeKey, from }) };
  const sent = intake.send(request, message, { alongside: storeKey, from });
  return sent.kind === "started" ? sent : { ...sent, message };
}

/** What an earlier call with the same key or message led to. */
function findAnswer(
  parts: StartParts,
  { message, response }: SendingCall,
  { key, hash }: { readonly key: string | undefined; readonly hash: string },
): Answer | null {
  const { journal, inbox, followerLimit } = parts;
  const earlier = (taskId: string, { turnId, afterSeq }: AnswerStart): Answer => {
    followerLimit.acquire(taskId, response);
    return { kind: "earlier", turn: { turnId, run: () => undefined }, afterSeq };
  };
  const byKey = findEarlier(parts.idempotency, key, hash);
  if (byKey !== null) return earlier(parts.runner.taskOf(byKey) ?? "", { turnId: byKey, afterSeq: 0 });
  const fate = message === null ? null : inbox.find(message);
  if (message === null || fate === null) return null;
  const { taskId, messageId } = message;
  if (fate.state === "removed") throw removed();
  if (fate.state === "waiting") return { kind: "waiting", message, position: inbox.position(taskId, fate.id) };
  return earlier(taskId, answerStart(journal, { turnId: fate.turnId ?? "", messageId }));
}
