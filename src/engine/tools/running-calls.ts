import type { ToolExecutor } from "./execute.ts";

/** Counts the tool calls that work. Those that wait for a human or for another agent do not count. */
export class RunningCalls {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  counted(execute: ToolExecutor): ToolExecutor {
    return async (tool, input, context) => {
      if (tool.asksHuman || tool.delegates) return execute(tool, input, context);
      this.#count++;
      try {
        return await execute(tool, input, context);
      } finally {
        this.#count--;
      }
    };
  }
}
