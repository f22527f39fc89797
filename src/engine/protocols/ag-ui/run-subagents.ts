import type { EngineEventData } from "../../../contract/engine/events.ts";

type ToolCall = EngineEventData["tool_call"];
type ToolResult = EngineEventData["tool_result"];

/** The sub-agents of a run. Each is named by the call that started it. */
export class RunSubagents {
  readonly #names = new Map<string, string>();
  /** The sub-agent that has made a call, for those of sub-agents. */
  readonly #owners = new Map<string, string>();
  readonly #active = new Set<string>();

  noteCall({ tool_call_id: id, parent_tool_call_id: owner }: ToolCall): void {
    if (owner !== undefined) this.#owners.set(id, owner);
  }

  note(runId: string, name: string): void {
    this.#names.set(runId, name);
  }

  ownerOf(callId: string): string | undefined {
    return this.#owners.get(callId);
  }

  /** Events that begin a sub-agent's part of this run, if it has not begun, after those of the one that started it. */
  start(runId: string): readonly object[] {
    if (this.#active.has(runId)) return [];
    const parent = this.#owners.get(runId);
    const before = parent === undefined ? [] : this.start(parent);
    this.#active.add(runId);
    const started = {
      type: "SUBAGENT_STARTED",
      subagentRunId: runId,
      name: this.#names.get(runId) ?? "",
      parentToolCallId: runId,
      ...(parent !== undefined && { parentSubagentRunId: parent }),
    };
    return [...before, started];
  }

  /** The end of the sub-agent that a call has started. */
  endsWith({ tool_call_id: subagentRunId, error }: ToolResult): readonly object[] {
    if (!this.#active.delete(subagentRunId)) return [];
    if (error !== null) return [{ type: "SUBAGENT_ERROR", subagentRunId, message: error }];
    return [{ type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "success" } }];
  }

  /** Ends the parts of all sub-agents in this run, the inner ones first. The next run of the turn goes on with them. */
  suspend(requests: readonly { readonly id: string; readonly owner: string | undefined }[]): readonly object[] {
    const inner = [...this.#active].toReversed();
    this.#active.clear();
    return inner.map((subagentRunId) => ({
      type: "SUBAGENT_FINISHED",
      subagentRunId,
      outcome: {
        type: "suspended",
        interruptIds: requests.filter(({ owner }) => owner === subagentRunId).map(({ id }) => id),
      },
    }));
  }
}
