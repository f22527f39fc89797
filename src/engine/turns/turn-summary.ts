import { shortened } from "../../shared/one-line.ts";
import { asText } from "../../shared/json-values.ts";
import type { TrajectoryStep } from "../../contract/engine/memory.ts";
import type { AssistantContent, ToolOutcome } from "../agent/step-log.ts";
import { contextOf } from "../attachments/message-context.ts";
import { type UserContent, contentText } from "../attachments/user-content.ts";
import { TRUST, type Trust, leastTrust } from "../memory/trust.ts";
import type { StoredMessage } from "../store/messages.ts";
import type { ToolNamed } from "../tools/tool.ts";

const MAX_INPUT = 500;
const MAX_OUTPUT = 300;

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
  {
    recalled = TRUST.user,
    output,
    toolNamed,
  }: {
    readonly recalled?: number | undefined;
    /** The result, which is the answer where the model wrote none. */
    readonly output?: Readonly<Record<string, unknown>> | undefined;
    readonly toolNamed: ToolNamed;
  },
): TurnSummary {
  const own = messages.filter(({ thread }) => thread === "");
  const asked = own.filter(({ role }) => role === "user").map(({ content }) => content as UserContent);
  // Context comes from anywhere, such as a page that the user sees.
  const given = asked.some((content) => contextOf(content).length > 0) ? TRUST.external : TRUST.user;
  const steps = stepsOf(messages);
  const said = own.flatMap(({ role, content }) => (role === "assistant" ? textOf(content) : [])).join("\n\n");
  return {
    question: asked.map(contentText).join("\n\n"),
    answer: said === "" && output !== undefined ? JSON.stringify(output) : said,
    steps,
    trust: steps.reduce<Trust>(
      (least, step) => leastTrust(least, trustOf(step, toolNamed)),
      leastTrust(TRUST.model, recalled as Trust, given),
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
          input: shortened(JSON.stringify(part.input), MAX_INPUT),
          output: shortened(asText(outcome?.output), MAX_OUTPUT),
          ok: outcome?.isError === false,
          ...(thread !== "" && { thread }),
        },
      ];
    });
  });
}

function trustOf({ tool, output }: TrajectoryStep, toolNamed: ToolNamed): Trust {
  const returns = toolNamed(tool)?.returns;
  const isOwn = returns === "labelled" ? !output.includes('"trust":"external"') : returns === "own";
  return isOwn ? TRUST.model : TRUST.external;
}

const textOf = (content: unknown): readonly string[] =>
  (content as readonly AssistantContent[]).flatMap((part) => (part.kind === "text" ? part.text : []));
