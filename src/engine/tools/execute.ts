import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../kit/logger.ts";
import { type Tool, type ToolContext, ToolFailed } from "./tool.ts";

const MAX_OUTPUT = 50_000;
const SHOWN_OF_LONG = 10_000;

export interface ToolResult {
  readonly output: unknown;
  /** For the model; null when the call went well. */
  readonly error: string | null;
}

export type ToolExecutor = (
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<ToolResult>;

/**
 * Runs one authorized call under a deadline. The deadline does not depend on the tool's good will: one that does not
 * heed its signal is left behind. A call that asks a human waits as long as the human takes.
 */
export function createToolExecutor({
  timeoutMs,
  logger,
}: {
  readonly timeoutMs: number;
  readonly logger: Logger;
}): ToolExecutor {
  return async (tool, input, context) => {
    const deadline = tool.asksHuman ? undefined : AbortSignal.timeout(timeoutMs);
    const signal = deadline === undefined ? context.signal : AbortSignal.any([context.signal, deadline]);
    const aborted = Promise.withResolvers<never>();
    const giveUp = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      signal.throwIfAborted();
      const output = await Promise.race([tool.run(input, { ...context, signal }), aborted.promise]);
      return { output: await shortened(output ?? null, context), error: null };
    } catch (error) {
      context.signal.throwIfAborted();
      if (deadline?.aborted) return { output: null, error: `TIMEOUT: the call took longer than ${timeoutMs / 1000} s` };
      if (error instanceof ToolFailed) return { output: null, error: error.message };
      logger.error({ err: error, tool: tool.name, turn_id: context.turnId }, "tool failed unexpectedly");
      return { output: null, error: "the tool failed unexpectedly" };
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  };
}

/** Long output goes to a file of the workspace; the model sees both ends and where the rest is. */
async function shortened(output: unknown, { workspaceDir, toolCallId }: ToolContext): Promise<unknown> {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (text.length <= MAX_OUTPUT) return output;
  const path = join(".orch", "outputs", `${toolCallId.replaceAll(/[^\w-]/g, "_")}.txt`);
  await mkdir(join(workspaceDir, ".orch", "outputs"), { recursive: true });
  await writeFile(join(workspaceDir, path), text);
  const left = text.length - 2 * SHOWN_OF_LONG;
  const ends = [text.slice(0, SHOWN_OF_LONG), text.slice(-SHOWN_OF_LONG)].map((end) => end.toWellFormed());
  return ends.join(`\n… [${left} characters more, all of it in ${path}] …\n`);
}
