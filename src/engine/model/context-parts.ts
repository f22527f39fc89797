import type { ContextParts } from "../../contract/engine/turn.ts";
import { attachmentTokens, valueTokens } from "./context-window.ts";
import type { ModelMessage, ModelRequest } from "./model-provider.ts";

const NAMES = ["system", "tools", "recalled", "context", "history", "message", "steps", "attachments"] as const;

/**
 * Estimated tokens by part. Where the provider has counted the whole request, the parts are scaled so that their sum is its
 * count.
 */
export function contextParts(request: ModelRequest, reported: number | null): ContextParts {
  const estimate = estimatedParts(request);
  return reported === null ? estimate : scaled(estimate, reported);
}

function estimatedParts({ system, tools, messages }: ModelRequest): ContextParts {
  const opening = messages.findLastIndex((message) => message.role === "user" && message.ofEngine !== true);
  const tokensOf = (part: readonly ModelMessage[]) =>
    part.reduce((sum, message) => sum + valueTokens(withoutBlocks(message)), 0);
  return {
    system: valueTokens(system),
    tools: tools.length === 0 ? 0 : valueTokens(tools),
    recalled: messages.reduce((sum, message) => sum + blockTokens(message, "recalled"), 0),
    context: messages.reduce((sum, message) => sum + blockTokens(message, "context"), 0),
    history: tokensOf(messages.slice(0, Math.max(opening, 0))),
    message: opening === -1 ? 0 : tokensOf(messages.slice(opening, opening + 1)),
    steps: tokensOf(messages.slice(opening + 1)),
    attachments: attachmentTokens(messages),
  };
}

const withoutBlocks = (message: ModelMessage): unknown =>
  message.role === "user" ? { ...message, recalled: undefined, context: undefined } : message;

function blockTokens(message: ModelMessage, name: "recalled" | "context"): number {
  const block = message.role === "user" ? message[name] : undefined;
  return block === undefined ? 0 : valueTokens(block);
}

/** Rounds running sums, so that the shares add up to the total. */
function scaled(parts: ContextParts, total: number): ContextParts {
  const sum = NAMES.reduce((all, name) => all + parts[name], 0);
  if (sum === 0) return parts;
  let [seen, assigned] = [0, 0];
  const shares = NAMES.map((name) => {
    seen += parts[name];
    const share = Math.round((seen / sum) * total) - assigned;
    assigned += share;
    return [name, share] as const;
  });
  return Object.fromEntries(shares) as unknown as ContextParts;
}
