import type { Logger } from "../../shared/logger.ts";
import { CallDeadline } from "./call-deadline.ts";
import { shortened } from "./spill.ts";
import { CallParked, type Tool, type ToolContext, ToolFailed } from "./tool.ts";

/** However alive a call is. */
const MAX_MS = 600_000;

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
 * heed its signal is left behind. A call that asks a human waits as long as the human takes,
 * and one that waits for another agent as long as that one works.
 */
export function createToolExecutor({
  timeoutMs,
  logger,
}: {
  readonly timeoutMs: number;
  readonly logger: Logger;
}): ToolExecutor {
  return async (tool, input, context) => {
    const ms = tool.timeoutMs?.(input) ?? timeoutMs;
    const prolonged = tool.prolongedByProgress === true;
    const deadline = tool.asksHuman || tool.delegates ? undefined : new CallDeadline({ ms, maxMs: MAX_MS, prolonged });
    const signal = deadline === undefined ? context.signal : AbortSignal.any([context.signal, deadline.signal]);
    const leaving = leaveBehind(signal, tool.goneWithinMs ?? 0);
    try {
      signal.throwIfAborted();
      const output = await Promise.race([tool.run(input, { ...timed(context, deadline), signal }), leaving.left]);
      return { output: await shortened(output ?? null, context), error: null };
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof CallParked) throw error;
      const words = error instanceof ToolFailed ? error.message : null;
      if (deadline?.signal.aborted) {
        const tooLong = `TIMEOUT: the call took longer than ${ms / 1000} s`;
        return { output: null, error: words === null ? tooLong : `${tooLong}; ${words}` };
      }
      if (words !== null) return { output: null, error: words };
      logger.error({ err: error, tool: tool.name, turn_id: context.turnId }, "tool failed unexpectedly");
      return { output: null, error: "the tool failed unexpectedly" };
    } finally {
      deadline?.end();
      leaving.stop();
    }
  };
}

function timed(context: ToolContext, deadline: CallDeadline | undefined): ToolContext {
  if (deadline === undefined) return context;
  return {
    ...context,
    ask: (question) => deadline.whileAsking(context.ask(question)),
    progress() {
      deadline.signOfLife();
      context.progress();
    },
  };
}

/** Rejects some time after the signal: at once for most tools, later for one that has processes to end. */
function leaveBehind(signal: AbortSignal, afterMs: number): { readonly left: Promise<never>; stop(): void } {
  const { promise: left, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const leave = () => {
    if (afterMs === 0) reject(signal.reason);
    else timer = setTimeout(() => reject(signal.reason), afterMs);
  };
  signal.addEventListener("abort", leave, { once: true });
  return {
    left,
    stop() {
      signal.removeEventListener("abort", leave);
      clearTimeout(timer);
    },
  };
}
