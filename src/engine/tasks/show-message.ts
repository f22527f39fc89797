import type { Artifact } from "../../contract/engine/file.ts";
import { PUBLISH_FILE } from "../../contract/engine/tool-names.ts";
import type { TaskMessagePart, TaskMessage } from "../../contract/engine/task-message.ts";
import { isoTime } from "../../shared/clock.ts";
import { asText } from "../../shared/json-values.ts";
import type { UserContent, UserPart } from "../attachments/user-content.ts";
import type { AssistantContent, ToolOutcome } from "../model/model-provider.ts";
import type { HitlRow } from "../store/hitl-requests.ts";
import type { ConversationRow } from "../store/messages.ts";
import type { ShownVerdict } from "../store/tool-verdict-table.ts";
import type { TurnResult } from "../store/turns.ts";
import { messageId } from "./public-id.ts";

/** What is shown with the last message of a turn. */
export interface ShownTurn {
  readonly state: TaskMessage["status"];
  readonly result: TurnResult | null;
}

/** What else is stored of the turn of a message. */
interface TurnFacts {
  readonly requests: readonly HitlRow[];
  readonly verdicts: readonly ShownVerdict[];
}

/** A message as clients see it. `rows`: one of the user, or the answers and tool results that are shown as one. */
export function showMessage(
  rows: readonly [ConversationRow, ...ConversationRow[]],
  { requests, verdicts, turn }: TurnFacts & { readonly turn: ShownTurn | null },
): TaskMessage {
  const [first] = rows;
  const isUser = first.role === "user";
  const usage = turn?.result?.usage ?? null;
  const error = turn?.result?.errorCode ?? null;
  const output = turn?.result?.output ?? null;
  return {
    message_id: messageId(first.id),
    role: isUser ? "user" : "assistant",
    turn_id: first.turnId,
    created_at: isoTime(first.createdAt),
    parts: [
      ...(isUser ? userParts(first.content as UserContent) : answerParts(rows, { requests, verdicts })),
      ...(error === null ? [] : [{ type: "error", error } as const]),
    ],
    usage:
      usage === null
        ? null
        : {
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            cache_hit_tokens: usage.cacheHitTokens,
          },
    status: turn?.state ?? "completed",
    ...(output !== null && { output }),
  };
}

const userParts = (content: UserContent): readonly TaskMessagePart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content.flatMap(userPart);

function userPart(part: UserPart): readonly TaskMessagePart[] {
  switch (part.kind) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "attachment":
      return [{ type: "attachment", ...part.file }];
    case "context": {
      const { name, content, ttl } = part;
      return [{ type: "context", name, content, ttl }];
    }
    default:
      return part satisfies never;
  }
}

function answerParts(rows: readonly ConversationRow[], { requests, verdicts }: TurnFacts): readonly TaskMessagePart[] {
  const outcomes = new Map(
    rows.flatMap(({ role, content }) =>
      role === "tool" ? (content as readonly ToolOutcome[]).map((outcome) => [outcome.id, outcome] as const) : [],
    ),
  );
  const contents = rows.flatMap(({ role, content }) =>
    role === "assistant" ? (content as readonly AssistantContent[]) : [],
  );
  const own = new Set(contents.flatMap((part) => (part.kind === "tool_use" ? part.id : [])));
  return [
    ...contents.flatMap((part): readonly TaskMessagePart[] => {
      if (part.kind !== "tool_use") return part.text === "" ? [] : [{ type: typeOf(part.kind), text: part.text }];
      const asked = requests.filter(({ toolCallId }) => toolCallId === part.id);
      const outcome = outcomes.get(part.id);
      const verdict = verdicts.find(({ toolCallId }) => toolCallId === part.id);
      const hook = verdict === undefined ? {} : { hook: hookOf(verdict) };
      return [
        { ...toolPart(part, outcome), ...hook },
        ...artifactParts(part.tool, outcome),
        ...asked.map(questionPart),
      ];
    }),
    // Those of delegated agents, whose calls are not shown.
    ...requests.filter(({ toolCallId }) => !own.has(toolCallId)).map(questionPart),
  ];
}

const typeOf = (kind: "text" | "thinking") => (kind === "text" ? "text" : "reasoning");

function toolPart(
  { id, tool, input }: Extract<AssistantContent, { kind: "tool_use" }>,
  outcome: ToolOutcome | undefined,
): Extract<TaskMessagePart, { type: "tool" }> {
  const call = { type: "tool", tool_call_id: id, tool, input } as const;
  if (outcome === undefined) return { ...call, status: "running", output: null, error: null };
  const { output, isError, attachments } = outcome;
  const files = attachments === undefined ? {} : { attachments };
  return isError
    ? { ...call, status: "failed", output: null, error: asText(output), ...files }
    : { ...call, status: "completed", output, error: null, ...files };
}

const hookOf = ({ verdict, reason, input, error }: ShownVerdict) => ({ verdict, reason, input, error });

/** A published file, as its call returned it. In messages of earlier releases, the tool may be another one of this name. */
function artifactParts(tool: string, outcome: ToolOutcome | undefined): readonly TaskMessagePart[] {
  if (tool !== PUBLISH_FILE || outcome === undefined || outcome.isError) return [];
  if (typeof outcome.output !== "object" || outcome.output === null || !("artifact_id" in outcome.output)) return [];
  const { disk: _note, ...published } = outcome.output as unknown as Artifact & { readonly disk?: string };
  return [{ type: "artifact", ...published }];
}

function questionPart({ requestId, kind, question, options, answer, closedByEngine }: HitlRow): TaskMessagePart {
  const status = answer === null ? "open" : closedByEngine ? "closed" : "answered";
  return {
    type: "question",
    request_id: requestId,
    kind,
    question,
    options,
    status,
    answer: status === "answered" ? answer : null,
  };
}
