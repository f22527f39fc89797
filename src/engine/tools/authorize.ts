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

const MAX_SHOWN = 4000;

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
  if (grants.some((grant) => grant.tool === tool.name && grant.pattern === pattern)) return { kind: "allow" };
  return {
    kind: "ask",
    question: `May the agent use ${tool.name} on ${visibleText(pattern, 200)}?`,
    context: { tool: tool.name, input: visibleText(JSON.stringify(input), MAX_SHOWN) },
    options: PERMISSION_OPTIONS,
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

/** What a grant is about: the resources a call changes, or, where it names none, exactly this input. */
function patternOf(tool: Tool, input: Readonly<Record<string, unknown>>): string {
  const resources = tool.resources(input);
  return resources.length > 0 ? resources.join(" ") : JSON.stringify(input);
}
