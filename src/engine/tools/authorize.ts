import { createHash } from "node:crypto";
import { type Tool, ToolFailed } from "./tool.ts";
import { allVisible, bothEnds } from "./visible-text.ts";
import { workspacePlace } from "./workspace-path.ts";

export const PERMISSION_OPTIONS = ["allow_once", "allow_task", "allow_always", "deny"] as const;
export type PermissionOption = (typeof PERMISSION_OPTIONS)[number];

/** What a person allowed beyond one call: this tool, on inputs of this pattern, in one task or (null) in all. */
export interface Grant {
  readonly tool: string;
  readonly pattern: string;
  readonly taskId: string | null;
}

export type Authorization =
  | Allowed
  | { readonly kind: "deny"; readonly reason: string }
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly context: Readonly<Record<string, unknown>>;
      readonly options: readonly PermissionOption[];
      /** What a grant covers, where the options offer one. */
      readonly pattern: string;
      /** What the call is, once it is allowed. */
      readonly allowed: Allowed;
    };

/** `place`: the real path that was allowed, to which the call is held. */
export interface Allowed {
  readonly kind: "allow";
  readonly place?: string | undefined;
}

const MAX_INPUT_SHOWN = 10_000;
/** The one text that every client shows: a grant is offered only for what stands in it whole. */
const MAX_QUESTION_SHOWN = 1000;

/** The one gate in front of every call, on the input that will be run: a grant allows, else the tool's own rule. */
export async function authorize({
  tool,
  input,
  grants,
  workspaceDir,
}: {
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly grants: readonly Grant[];
  readonly workspaceDir: string;
}): Promise<Authorization> {
  if (tool.permission === "allow") return { kind: "allow" };
  const place = await placeOf(tool, input, workspaceDir);
  if (place instanceof ToolFailed) return { kind: "deny", reason: place.message };
  const allowed = { kind: "allow", place } as const;
  const text = JSON.stringify(input);
  const pattern = place ?? tool.subject?.(input) ?? text;
  const shown = allVisible(pattern);
  // Measured as it is shown: escapes make it longer.
  const isWhole = shown.length <= MAX_QUESTION_SHOWN;
  if (isWhole && grants.some((grant) => grant.tool === tool.name && grant.pattern === pattern)) return allowed;
  const subject = bothEnds(shown, MAX_QUESTION_SHOWN, `; SHA-256 of all: ${sha256(pattern)}`);
  const shownInput = allVisible(text);
  const isAllWhole = isWhole && shownInput.length <= MAX_INPUT_SHOWN;
  return {
    kind: "ask",
    question: `May the agent use ${tool.name} on ${subject}?`,
    context: {
      tool: tool.name,
      input: bothEnds(shownInput, MAX_INPUT_SHOWN),
      ...(!isAllWhole && { input_sha256: sha256(text) }),
    },
    options: isWhole ? PERMISSION_OPTIONS : ["allow_once", "deny"],
    pattern,
    allowed,
  };
}

/** What an answer allows from now on; null when it is about this call alone. */
export function grantOf(
  tool: Tool,
  pattern: string,
  { answer, taskId }: { readonly answer: PermissionOption; readonly taskId: string },
): Grant | null {
  if (answer !== "allow_task" && answer !== "allow_always") return null;
  return { tool: tool.name, pattern, taskId: answer === "allow_task" ? taskId : null };
}

async function placeOf(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  workspaceDir: string,
): Promise<string | undefined | ToolFailed> {
  if (tool.path === undefined) return undefined;
  try {
    return await workspacePlace(workspaceDir, tool.path(input));
  } catch (error) {
    if (error instanceof ToolFailed) return error;
    throw error;
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
