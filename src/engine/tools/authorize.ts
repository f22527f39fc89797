import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { matchesTool } from "../../contract/engine/tool-pattern.ts";
import { type ToolRule, decidingRule } from "./tool-rules.ts";
import { type Tool, ToolFailed } from "./tool.ts";
import { allVisible, bothEnds } from "./visible-text.ts";
import { relativeRealPath } from "./workspace-path.ts";

export const PERMISSION_OPTIONS = ["allow_once", "allow_task", "allow_always", "deny"] as const;
export type PermissionOption = (typeof PERMISSION_OPTIONS)[number];

/** A stored permission for a tool and a pattern, in one task or (null) in all. */
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
      /** The pattern of a grant, if the options offer one. */
      readonly pattern: string;
      /** The authorization after a permitting answer. */
      readonly allowed: Allowed;
    };

/** `realPath`: the real path that was allowed; the call may use no other. */
export interface Allowed {
  readonly kind: "allow";
  readonly realPath?: string | undefined;
}

const MAX_INPUT_CHARACTERS = 10_000;
/** Every client shows the question: a grant is offered only for a pattern that it contains in full. */
const MAX_SUBJECT_CHARACTERS = 1000;

/**
 * Authorizes a call on its final input: by the first rule of the catalog that matches, else by the tool's permission. Where
 * they ask, a grant allows it.
 */
export async function authorize({
  tool,
  input,
  grants,
  rules,
  workspaceDir,
  mustAsk = false,
}: {
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly grants: readonly Grant[];
  readonly rules: readonly ToolRule[];
  readonly workspaceDir: string;
  /** The product's hook wants a person to decide where nothing else asks. */
  readonly mustAsk?: boolean;
}): Promise<Authorization> {
  const ofTool = rules.filter((rule) => matchesTool(rule.tool, tool.name));
  if (tool.permission === "allow" && ofTool.length === 0 && !mustAsk) return { kind: "allow" };
  const realPath = await realPathOf(tool, input, workspaceDir);
  if (realPath instanceof ToolFailed) return { kind: "deny", reason: realPath.message };
  const allowed = { kind: "allow", realPath } as const;
  const rule = decidingRule(ofTool, { tool: tool.name, input, realPath });
  if (rule?.permission === "deny") return { kind: "deny", reason: deniedBy(rule) };
  if ((rule?.permission ?? tool.permission) === "allow" && !mustAsk) return allowed;
  const text = JSON.stringify(input);
  const pattern = realPath ?? tool.subject?.(input) ?? text;
  const shown = allVisible(pattern);
  // Measured after escaping, which lengthens it.
  const isComplete = shown.length <= MAX_SUBJECT_CHARACTERS;
  if (isComplete && grants.some((grant) => grant.tool === tool.name && grant.pattern === pattern)) return allowed;
  const subject = bothEnds(shown, MAX_SUBJECT_CHARACTERS, `; SHA-256 of all: ${sha256(pattern)}`);
  const shownInput = allVisible(text);
  const isAllComplete = isComplete && shownInput.length <= MAX_INPUT_CHARACTERS;
  return {
    kind: "ask",
    question: `May the agent use ${tool.name} on ${subject}?`,
    context: {
      tool: tool.name,
      input: bothEnds(shownInput, MAX_INPUT_CHARACTERS),
      ...(!isAllComplete && { input_sha256: sha256(text) }),
    },
    options: isComplete ? PERMISSION_OPTIONS : ["allow_once", "deny"],
    pattern,
    allowed,
  };
}

const deniedBy = ({ reason }: ToolRule): string =>
  `the product's rules deny this call${reason === null ? "" : `: ${reason}`}`;

/** The grant that an answer creates; null for this call only. */
export function grantOf(
  tool: Tool,
  pattern: string,
  { answer, taskId }: { readonly answer: PermissionOption; readonly taskId: string },
): Grant | null {
  if (answer !== "allow_task" && answer !== "allow_always") return null;
  return { tool: tool.name, pattern, taskId: answer === "allow_task" ? taskId : null };
}

async function realPathOf(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  workspaceDir: string,
): Promise<string | undefined | ToolFailed> {
  if (tool.path === undefined) return undefined;
  try {
    return await relativeRealPath(workspaceDir, tool.path(input));
  } catch (error) {
    if (error instanceof ToolFailed) return error;
    throw error;
  }
}
