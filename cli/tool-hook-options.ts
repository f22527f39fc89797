import { type Command, Option } from "commander";
import { ON_HOOK_ERROR, TOOL_HOOK_LIMITS } from "../src/contract/engine/tool-hook-limits.ts";
import { CliFailure } from "./exit-codes.ts";
import { names, wholeNumber } from "./option-values.ts";

/** The options by their attributes. */
export interface ToolHookOptions {
  readonly toolHook?: string;
  readonly toolHookTools?: readonly string[];
  readonly toolHookTimeout?: number;
  readonly toolHookOnError?: string;
}

const { min, max, usual } = TOOL_HOOK_LIMITS.timeoutMs;

export const toolHookOptions = (command: Command): Command =>
  command
    .option("--tool-hook <url>", "the product's own address that decides about calls of tools, or none")
    .option(
      "--tool-hook-tools <patterns>",
      "with --tool-hook: the tools, separated by commas, such as run_command,mcp__*",
      names,
    )
    .option(
      "--tool-hook-timeout <ms>",
      `with --tool-hook: milliseconds to answer, ${min} to ${max}; ${usual} without`,
      wholeNumber,
    )
    .addOption(
      new Option("--tool-hook-on-error <what>", "with --tool-hook: what becomes of a call without a decision").choices([
        ...ON_HOOK_ERROR,
      ]),
    );

/** The field of the policy, which is replaced as a whole. Undefined without an option. */
export function readToolHook({ toolHook: url, toolHookTools, toolHookTimeout, toolHookOnError }: ToolHookOptions) {
  const isPart = toolHookTools !== undefined || toolHookTimeout !== undefined || toolHookOnError !== undefined;
  if (isPart && (url === undefined || url === "none"))
    throw new CliFailure(
      "usage",
      "--tool-hook-tools, --tool-hook-timeout and --tool-hook-on-error need --tool-hook URL",
    );
  if (url === undefined) return undefined;
  if (url === "none") return null;
  if (toolHookTools === undefined)
    throw new CliFailure("usage", "--tool-hook needs --tool-hook-tools; * names every tool");
  return {
    url,
    tools: toolHookTools,
    timeout_ms: toolHookTimeout ?? usual,
    on_error: ON_HOOK_ERROR.find((one) => one === toolHookOnError) ?? "deny",
  };
}

/** `https://api.example.com/tools: run_command; 2000 ms, else deny`. Null without one. */
export const describeToolHook = (
  hook: {
    readonly url: string;
    readonly tools: readonly string[];
    readonly timeout_ms: number;
    readonly on_error: string;
  } | null,
): string | null =>
  hook === null ? null : `${hook.url}: ${hook.tools.join(", ")}; ${hook.timeout_ms} ms, then ${hook.on_error}`;
