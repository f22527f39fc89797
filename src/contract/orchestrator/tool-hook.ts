import { type ON_HOOK_ERROR, TOOL_HOOK_LIMITS } from "../engine/tool-hook-limits.ts";

/** The product's own address that decides about calls of tools. */
export interface ToolHook {
  readonly url: string;
  readonly tools: readonly string[];
  readonly timeout_ms: number;
  readonly on_error: (typeof ON_HOOK_ERROR)[number];
}

const { min, max, usual } = TOOL_HOOK_LIMITS.timeoutMs;

export const TOOL_HOOK_MEANINGS: Readonly<Record<keyof ToolHook, string>> = {
  url: "Where calls are sent: an `https` address of the public internet, or a host of `private_hosts`.",
  tools: `The tools whose calls are sent: names, or prefixes that end in \`*\`. 1 to ${TOOL_HOOK_LIMITS.tools}.`,
  timeout_ms: `Milliseconds that it may take to answer, ${min} to ${max}. ${usual} when omitted.`,
  on_error: "What becomes of a call without a decision: `deny`, or `ask` a person. `deny` when omitted.",
};
