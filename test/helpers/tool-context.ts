import { join } from "node:path";
import type { Test } from "tap";
import { type ToolResult, createToolExecutor } from "../../src/engine/tools/execute.ts";
import type { Tool, ToolContext } from "../../src/engine/tools/tool.ts";
import type { DiskQuota } from "../../src/sandbox/disk/disk-quota.ts";
import { unlimitedDisk } from "./command-host.ts";
import { NO_SCOPE } from "../../src/engine/telemetry/engine-telemetry.ts";
import { createLogger } from "../../src/shared/logger.ts";

type Folder = Exclude<Parameters<Test["testdir"]>[0], undefined>;

/** What the model gets of a result. */
export type ForModel = Pick<ToolResult, "output" | "error">;

export interface ToolBench {
  readonly workspaceDir: string;
  /** A folder beside the workspace that no tool may reach. */
  readonly outside: string;
  readonly notes: [type: string, content: string][];
  /** Checks the input, then runs the tool under the executor, as a turn does; a refusal of the input is an error too. */
  readonly run: (
    tool: Tool,
    input: Readonly<Record<string, unknown>>,
    more?: Partial<ToolContext>,
  ) => Promise<ForModel>;
}

/** A workspace and everything else that a tool needs, without an engine around it. */
export function toolBench(
  t: Test,
  files: Folder = {},
  others: Folder = {},
  disk: DiskQuota = unlimitedDisk(),
): ToolBench {
  const root = t.testdir({ workspace: files, outside: others });
  const workspaceDir = join(root, "workspace");
  const notes: [string, string][] = [];
  const execute = createToolExecutor({ timeoutMs: 30_000, disk, logger: createLogger("test", "silent") });
  const context: ToolContext = {
    agent: "default",
    taskId: "task",
    turnId: "turn",
    toolCallId: "call",
    workspaceDir,
    signal: new AbortController().signal,
    scope: NO_SCOPE,
    ask: () => Promise.reject(new Error("nobody is asked here")),
    cite: () => undefined,
    note: (type, content) => void notes.push([type, content]),
    progress: () => undefined,
  };
  return {
    workspaceDir,
    outside: join(root, "outside"),
    notes,
    async run(tool, input, more = {}) {
      const checked = tool.input.check(input);
      if (checked.kind === "invalid") return { output: null, error: checked.message };
      const { output, error } = await execute(tool, checked.input, { ...context, ...more });
      return { output, error };
    },
  };
}
