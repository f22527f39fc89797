import type { ToolExecutor } from "./execute.ts";
import { waitsOnOthers } from "./tool.ts";

/** Counts the tool calls that work. Those that wait for others do not count. */
export class RunningCalls {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  counted(execute: ToolExecutor): ToolExecutor {
    return async (tool, input, context) => {
      if (waitsOnOthers(tool)) return execute(tool, input, context);
      this.#count++;
      try {
        return await execute(tool, input, context);
      } finally {
        this.#count--;
      }
    };
  }
}
