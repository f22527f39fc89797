import { MAX_JSON_LEVELS, isFlatterThan } from "../../shared/json-values.ts";
import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import type { ToolFailure } from "../../contract/engine/metrics.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ResultFiles } from "../attachments/result-files.ts";
import type { DiskQuota } from "../../sandbox/programs.ts";
import type { ChangedPath, Checkpoints } from "./call-checkpoint.ts";
import { admitBytes } from "./admit-bytes.ts";
import { CallDeadline } from "./call-deadline.ts";
import { MAX_OUTPUT, spillLongOutput } from "./spill.ts";
import { CallParked, type Tool, type ToolContext, ToolFailed, waitsOnOthers } from "./tool.ts";

/** Limit of a call in total, whatever its progress. */
const MAX_MS = 600_000;

export interface ToolResult {
  readonly output: unknown;
  /** The JSON that the text of a catalog's or a server's tool consists of; left out for any other. */
  readonly value?: object;
  /** Error message for the model; null on success. */
  readonly error: string | null;
  /** The class of the error; null on success. */
  readonly failure: ToolFailure | null;
  /** Files of a successful result; left out without any. */
  readonly attachments?: readonly AttachmentRecord[];
  /** What the call changed in the workspace; left out for nothing. */
  readonly changed?: readonly ChangedPath[];
}

export type ToolExecutor = (
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<ToolResult>;

/**
 * Runs one authorized call under a deadline, which also holds for a tool that ignores its signal. Calls that wait for a
 * human, the client or another agent have no deadline.
 */
export function createToolExecutor({
  timeoutMs,
  disk,
  filesOf = () => undefined,
  checkpoints,
  logger,
}: {
  readonly timeoutMs: number;
  readonly disk: Pick<DiskQuota, "admit" | "note" | "isFull">;
  /** Where a call of this turn puts the files of its result. Default: nowhere. */
  readonly filesOf?: (turnId: string) => ResultFiles | undefined;
  /** Stores what calls change in the workspace. Default: it is not stored. */
  readonly checkpoints?: Checkpoints;
  readonly logger: Logger;
}): ToolExecutor {
  const admit = admitBytes(disk, checkpoints);
  const executeOne: ToolExecutor = async (tool, input, context) => {
    const ms = tool.timeoutMs?.(input) ?? timeoutMs;
    const prolonged = tool.prolongedByProgress === true;
    const deadline = waitsOnOthers(tool) ? undefined : new CallDeadline({ ms, maxMs: MAX_MS, prolonged });
    const signal = deadline === undefined ? context.signal : AbortSignal.any([context.signal, deadline.signal]);
    const files = filesOf(context.turnId);
    const { checkpoint } = context;
    const abandoned = rejectAfterAbort(signal, tool.exitTimeoutMs ?? 0);
    try {
      signal.throwIfAborted();
      const refusal = tool.writesBytes === undefined ? null : await admit(tool.writesBytes(input));
      if (refusal !== null) throw new ToolFailed(refusal);
      const inside = { ...withDeadline(context, deadline), signal, ...(files && { files }) };
      const run = () => tool.run(input, inside);
      const compared = checkpoint !== undefined && tool.changesFiles === true;
      const output = await Promise.race([compared ? checkpoint.comparing(run) : run(), abandoned.promise]);
      const kept = await spillLongOutput(output ?? null, context, { hasRoom: !disk.isFull });
      const attached = files === undefined || files.kept.length === 0 ? {} : { attachments: files.kept };
      const value = tool.source === undefined ? undefined : jsonIn(kept);
      return {
        output: tool.readOnly ? kept : withNote(kept, disk.note()),
        ...(value !== undefined && { value }),
        error: null,
        failure: null,
        ...attached,
      };
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof CallParked) throw error;
      const message = error instanceof ToolFailed ? error.message : null;
      if (deadline?.signal.aborted) {
        const timeout = `TIMEOUT: the call took longer than ${ms / 1000} s`;
        return { output: null, error: message === null ? timeout : `${timeout}; ${message}`, failure: "timeout" };
      }
      if (message !== null) return { output: null, error: message, failure: "tool_error" };
      logger.error({ err: error, tool: tool.name, turn_id: context.turnId }, "tool failed unexpectedly");
      return { output: null, error: "the tool failed unexpectedly", failure: "internal_error" };
    } finally {
      deadline?.end();
      abandoned.stop();
    }
  };
  return async (tool, input, context) => {
    const checkpoint = checkpoints?.ofCall(context);
    if (checkpoint === undefined) return executeOne(tool, input, context);
    const result = await executeOne(tool, input, { ...context, checkpoint });
    return checkpoint.changed.length === 0 ? result : { ...result, changed: checkpoint.changed };
  };
}

/** Tells the model that the disk is almost full. */
function withNote(output: unknown, note: string | null): unknown {
  if (note === null) return output;
  if (typeof output === "string") return `${output}\n[disk: ${note}]`;
  return typeof output === "object" && output !== null && !Array.isArray(output) ? { ...output, disk: note } : output;
}

function withDeadline(context: ToolContext, deadline: CallDeadline | undefined): ToolContext {
  if (deadline === undefined) return context;
  return {
    ...context,
    ask: (question) => deadline.whileAsking(context.ask(question)),
    progress() {
      deadline.progress();
      context.progress();
    },
  };
}

/** Rejects `afterMs` after the signal aborts: tools with processes need time to end them. */
function rejectAfterAbort(signal: AbortSignal, afterMs: number): { readonly promise: Promise<never>; stop(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    if (afterMs === 0) reject(signal.reason);
    else timer = setTimeout(() => reject(signal.reason), afterMs);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    promise,
    stop() {
      signal.removeEventListener("abort", onAbort);
      clearTimeout(timer);
    },
  };
}

/** The object or list that a text consists of; undefined for any other output. */
function jsonIn(output: unknown): object | undefined {
  if (typeof output !== "string" || output.length > MAX_OUTPUT || !/^\s*[[{]/.test(output)) return undefined;
  try {
    const value = JSON.parse(output) as object;
    return isFlatterThan(MAX_JSON_LEVELS, value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
