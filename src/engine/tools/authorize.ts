import { createHash } from "node:crypto";
import type { Tool } from "./tool.ts";
import { visibleText } from "./visible-text.ts";

export const PERMISSION_OPTIONS = ["allow_once", "allow_task", "allow_always", "deny"] as const;
export type PermissionOption = (typeof PERMISSION_OPTIONS)[number];

/** What a person allowed beyond one call: this tool, on inputs of this pattern, in one task or (null) in all. */
export interface Grant {
  readonly tool: string;
  readonly pattern: string;
  readonly taskId: string | null;
}

export type Authorization =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string }
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly context: Readonly<Record<string, unknown>>;
      readonly options: readonly PermissionOption[];
    };

const MAX_SHOWN = 10_000;
const SHOWN_IN_QUESTION = 500;

/** The one gate in front of every call, on the input that will be run: a grant allows, else the tool's own rule. */
export function authorize({
  tool,
  input,
  grants,
}: {
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly grants: readonly Grant[];
}): Authorization {
  if (tool.permission === "allow") return { kind: "allow" };
  const pattern = patternOf(tool, input);
  const whole = isShownWhole(pattern);
  if (whole && grants.some((grant) => grant.tool === tool.name && grant.pattern === pattern)) return { kind: "allow" };
  const text = JSON.stringify(input);
  return {
    kind: "ask",
    question: `May the agent use ${tool.name} on ${visibleText(pattern, SHOWN_IN_QUESTION)}?`,
    context: {
      tool: tool.name,
      input: visibleText(text, MAX_SHOWN),
      ...(!isShownWhole(text) && { input_sha256: createHash("sha256").update(text).digest("hex") }),
    },
    options: whole ? PERMISSION_OPTIONS : ["allow_once", "deny"],
  };
}

/** What an answer allows from now on; null when it is about this call alone. */
export function grantOf(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  { answer, taskId }: { readonly answer: PermissionOption; readonly taskId: string },
): Grant | null {
  if (answer !== "allow_task" && answer !== "allow_always") return null;
  return { tool: tool.name, pattern: patternOf(tool, input), taskId: answer === "allow_task" ? taskId : null };
}

/** What nobody could read to its end is allowed for once only. */
const isShownWhole = (text: string): boolean => text.length <= MAX_SHOWN;

/** What a grant is about: the tool's own words, else what a call changes, or, where it names nothing, exactly this input. */
function patternOf(tool: Tool, input: Readonly<Record<string, unknown>>): string {
  const subject = tool.subject?.(input);
  if (subject !== undefined) return subject;
  const resources = tool.resources(input);
  return resources.length > 0 ? resources.join(" ") : JSON.stringify(input);
}
