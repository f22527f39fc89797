import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import type { ListingBounds } from "../../src/engine/checkpoints/workspace-listing.ts";
import type { RestorePlan } from "../../src/engine/checkpoints/restore-plan.ts";
import type { FailedStep } from "../../src/engine/checkpoints/restore-files.ts";
import { WorkspaceCheckpoints } from "../../src/engine/checkpoints/workspace-checkpoints.ts";
import { openStore } from "../../src/engine/store/open-store.ts";
import { NO_SCOPE } from "../../src/engine/telemetry/engine-telemetry.ts";
import { createToolExecutor } from "../../src/engine/tools/execute.ts";
import { runCommand } from "../../src/engine/tools/command/run-command.ts";
import type { Tool, ToolContext } from "../../src/engine/tools/tool.ts";
import { createLogger } from "../../src/shared/logger.ts";
import type { DiskQuota } from "../../src/sandbox/disk/disk-quota.ts";
import { commandHost, unlimitedDisk } from "./command-host.ts";

const MIB = 1_048_576;

/** An engine's folder whose tools keep checkpoints, without an engine around it. */
export function checkpointBench(
  t: Test,
  {
    maxBytes = 64 * MIB,
    disk = unlimitedDisk(),
    bounds,
    dataDir = t.testdir(),
  }: { maxBytes?: number; disk?: DiskQuota; bounds?: ListingBounds; dataDir?: string } = {},
) {
  const workspaceDir = join(dataDir, "workspace");
  mkdirSync(workspaceDir, { recursive: true });
  const store = openStore(dataDir);
  t.teardown(() => store.close());
  const checkpoints = new WorkspaceCheckpoints({
    store,
    workspaceDir,
    maxBytes,
    admit: async (bytes) => (await disk.admit(bytes)) === null,
    ...(bounds && { bounds }),
  });
  const execute = createToolExecutor({ timeoutMs: 30_000, disk, checkpoints, logger: createLogger("test", "silent") });
  let calls = 0;
  const context = (taskId: string): ToolContext => ({
    agent: "default",
    taskId,
    turnId: `turn of ${taskId}`,
    toolCallId: `call ${++calls}`,
    workspaceDir,
    signal: new AbortController().signal,
    scope: NO_SCOPE,
    ask: () => Promise.reject(new Error("nobody is asked here")),
    note: () => undefined,
    cite: () => undefined,
    progress: () => undefined,
  });
  const message = store.db.prepare(
    "insert into messages (task_id, turn_id, branch, role, created_at, content) values (?, '', 1, 'assistant', 0, '[]')",
  );
  const command = runCommand(commandHost({ PATH: process.env["PATH"] }, dataDir));
  const ranges = (taskId: string, above: number) => [{ taskId, above, through: Number.MAX_SAFE_INTEGER }];
  return {
    dataDir,
    workspaceDir,
    store,
    checkpoints,
    /** Adds a message to a task. Returns its id. */
    message: (taskId = "task"): number => message.run(taskId).lastInsertRowid,
    async run(tool: Tool, input: Readonly<Record<string, unknown>>, taskId = "task") {
      const { output, error } = await execute(tool, input, context(taskId));
      if (error !== null) throw new Error(error);
      return output;
    },
    shell: (text: string, taskId = "task") => execute(command, { command: text }, context(taskId)),
    changes: (taskId = "task", above = 0) => checkpoints.changes.ofRanges(ranges(taskId, above)),
    incomplete: (taskId = "task", above = 0) => checkpoints.changes.incomplete(ranges(taskId, above)),
    plan: (above: number, taskId = "task"): Promise<RestorePlan> => checkpoints.plan(ranges(taskId, above)),
    restore: ({ restorable, changedByOthers }: RestorePlan, taskId = "task"): Promise<readonly FailedStep[]> =>
      checkpoints.restore(taskId, [...restorable, ...changedByOthers]),
  };
}
