import type { TrajectoryStep } from "../../contract/memory-records.ts";
import type { AssistantContent, ToolOutcome } from "../agent/step-log.ts";
import { type UserContent, contentText } from "../attachments/user-content.ts";
import { TRUST, type Trust, leastTrust } from "../memory/trust.ts";
import type { StoredMessage } from "../store/messages.ts";

const MAX_INPUT = 500;
const MAX_OUTPUT = 300;
/** Tools whose results come from the engine or the user. Results of all other tools are external. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  "ask_human",
  "current_time",
  // The sub-agent's calls are steps of their own.
  "delegate",
  "edit_file",
  "list_files",
  "memory_note",
  "plan",
  "use_skill",
  "write_file",
]);

/** Question, answer and steps of a turn, and their trust. */
export interface TurnSummary {
  readonly question: string;
  readonly answer: string;
  readonly steps: readonly TrajectoryStep[];
  readonly trust: Trust;
}

/** `recalled`: trust of the memories recalled for the turn, if any. */
export function summarizeTurn(
  messages: readonly (StoredMessage & { readonly thread: string })[],
  recalled: number = TRUST.user,
): TurnSummary {
  const own = messages.filter(({ thread }) => thread === "");
  const steps = stepsOf(messages);
  return {
    question: own
      .flatMap(({ role, content }) => (role === "user" ? contentText(content as UserContent) : []))
      .join("\n\n"),
    answer: own.flatMap(({ role, content }) => (role === "assistant" ? textOf(content) : [])).join("\n\n"),
    steps,
    trust: steps.reduce<Trust>(
      (least, step) => leastTrust(least, trustOf(step)),
      leastTrust(TRUST.model, recalled as Trust),
    ),
  };
}

function stepsOf(messages: readonly (StoredMessage & { readonly thread: string })[]): readonly TrajectoryStep[] {
  const outcomes = new Map(
    messages.flatMap(({ role, content }) =>
      role === "tool" ? (content as readonly ToolOutcome[]).map((outcome) => [outcome.id, outcome] as const) : [],
    ),
  );
  return messages.flatMap(({ role, content, thread }) => {
    if (role !== "assistant") return [];
    return (content as readonly AssistantContent[]).flatMap((part): readonly TrajectoryStep[] => {
      if (part.kind !== "tool_use") return [];
      const outcome = outcomes.get(part.id);
      return [
        {
          tool: part.tool,
          input: cut(JSON.stringify(part.input), MAX_INPUT),
          output: cut(asText(outcome?.output), MAX_OUTPUT),
          ok: outcome?.isError === false,
          ...(thread !== "" && { thread }),
        },
      ];
    });
  });
}

/** A memory search has the trust of its results. */
function trustOf({ tool, output }: TrajectoryStep): Trust {
  if (tool === "memory_search") return output.includes('"trust":"external"') ? TRUST.external : TRUST.model;
  return OWN_TOOLS.has(tool) ? TRUST.model : TRUST.external;
}

const textOf = (content: unknown): readonly string[] =>
  (content as readonly AssistantContent[]).flatMap((part) => (part.kind === "text" ? part.text : []));

const asText = (output: unknown): string => (typeof output === "string" ? output : (JSON.stringify(output) ?? ""));

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
