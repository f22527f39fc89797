import {
  type HookAnswer,
  type HookedCall,
  HOOK_PAGE_BYTES,
  type ToolHookRules,
} from "../../contract/engine/tool-hook.ts";
import { matchesTool } from "../../contract/engine/tool-pattern.ts";
import { TOOL_HOOK_LIMITS, type ToolVerdict } from "../../contract/engine/tool-hook-limits.ts";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { byteLength } from "../../shared/parse.ts";
import type { CallToDecide, ToolGate } from "../agent/turn-context.ts";
import type { CallKey, ToolVerdictTable } from "../store/tool-verdict-table.ts";
import type { EventJournal } from "./event-journal.ts";
import type { Slot } from "./task-slots.ts";

interface Asked {
  readonly call: HookedCall;
  readonly bytes: number;
  readonly parentToolCallId: string | undefined;
  readonly onError: ToolHookRules["on_error"];
  resolve(verdict: ToolVerdict): void;
  reject(error: unknown): void;
}

/**
 * Asks the product about calls of tools, by the daemon, which reads them and answers. A decision is stored with its event
 * before the call runs (I1) and once: a late or a second one changes nothing. It survives a restart; a call that has none
 * is asked about again. No call waits without a deadline, whether a daemon reads or not.
 */
export class ToolHook {
  readonly #table: ToolVerdictTable;
  readonly #journal: EventJournal;
  readonly #daemonMs: number;
  /** By number, in its order. */
  readonly #asked = new Map<number, Asked>();
  readonly #readers = new Set<() => void>();
  #rules: ToolHookRules | null;
  #lastSeq = 0;

  /** `rules`: null while the product has no hook. `daemonMs`: how long a call waits beside the product's time. */
  constructor(
    table: ToolVerdictTable,
    journal: EventJournal,
    rules: ToolHookRules | null,
    { daemonMs = TOOL_HOOK_LIMITS.daemonMs }: { readonly daemonMs?: number } = {},
  ) {
    this.#table = table;
    this.#journal = journal;
    this.#rules = rules;
    this.#daemonMs = daemonMs;
  }

  /** Calls that wait for a decision keep their deadlines. */
  set(rules: ToolHookRules | null): void {
    this.#rules = rules;
  }

  /** What a turn asks its hook. */
  ofTurn(slot: Slot): ToolGate {
    return {
      covers: (tool) => this.#rules?.tools.some((pattern) => matchesTool(pattern, tool)) ?? false,
      decide: (call) => this.#decide(slot, call),
    };
  }

  /** The calls after a number that wait, as many as fit into one answer and at least one. */
  waiting(after: number): readonly HookedCall[] {
    const found: HookedCall[] = [];
    let bytes = 0;
    for (const [seq, asked] of this.#asked) {
      if (seq <= after) continue;
      bytes += asked.bytes;
      if (found.length > 0 && bytes > HOOK_PAGE_BYTES) break;
      found.push(asked.call);
    }
    return found;
  }

  /** Resolves when a call waits, or the signal is aborted. */
  untilAsked(after: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.waiting(after).length > 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#readers.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => this.#readers.delete(resolve));
  }

  /** False when the call waits no longer, or was asked about again. */
  answer({ turnId, toolCallId, attempt }: CallKey & { readonly attempt: number }, answer: HookAnswer): boolean {
    for (const { call } of this.#asked.values())
      if (call.turn_id === turnId && call.tool_call_id === toolCallId && call.attempt === attempt)
        return this.#settle(call.seq, answer);
    return false;
  }

  /** Forgets what an ended turn has asked and nobody has decided. */
  closeAll(turnId: string): void {
    this.#table.closeAll(turnId);
  }

  async #decide(slot: Slot, call: CallToDecide): Promise<ToolVerdict> {
    slot.signal.throwIfAborted();
    const key = { turnId: slot.turnId, toolCallId: call.toolCallId };
    const text = JSON.stringify(call.input);
    const inputHash = sha256(text);
    const stored = this.#table.find(key);
    if (stored !== null && stored.verdict !== null && stored.inputHash === inputHash)
      return { ...stored, verdict: stored.verdict };
    const rules = this.#rules;
    if (rules === null) return ALLOWED;
    let attempt = 0;
    this.#journal.commit(() => (attempt = this.#table.ask(key, inputHash, Date.now())));
    const { promise, resolve, reject } = Promise.withResolvers<ToolVerdict>();
    const seq = ++this.#lastSeq;
    const { agent, tool, input, parentToolCallId } = call;
    const named = { turn_id: key.turnId, tool_call_id: key.toolCallId, task_id: slot.taskId };
    const bytes = byteLength(text);
    this.#asked.set(seq, {
      call: { seq, attempt, ...named, agent, tool, input },
      bytes,
      parentToolCallId,
      onError: rules.on_error,
      resolve,
      reject,
    });
    const onAbort = () => reject(slot.signal.reason);
    slot.signal.addEventListener("abort", onAbort, { once: true });
    const late = setTimeout(() => this.#fail(seq, "it did not answer in time"), rules.timeout_ms + this.#daemonMs);
    const done = slot.work();
    if (bytes > TOOL_HOOK_LIMITS.inputBytes) this.#fail(seq, "the input is larger than it is asked about");
    else for (const wake of this.#readers) wake();
    try {
      return await promise;
    } finally {
      done();
      clearTimeout(late);
      slot.signal.removeEventListener("abort", onAbort);
      this.#asked.delete(seq);
    }
  }

  #fail(seq: number, error: string): void {
    try {
      this.#settle(seq, { verdict: "failed", error });
    } catch (reason) {
      this.#asked.get(seq)?.reject(reason);
    }
  }

  /** Stores the decision of an attempt, unless it has one. */
  #settle(seq: number, answer: HookAnswer): boolean {
    const asked = this.#asked.get(seq);
    if (asked === undefined) return false;
    const { call, onError } = asked;
    const verdict = verdictOf(answer, onError);
    const key = { turnId: call.turn_id, toolCallId: call.tool_call_id, attempt: call.attempt };
    let isStored = false;
    const store = () => (isStored = this.#table.decide(key, verdict, Date.now()));
    const event = eventOf(asked, verdict);
    this.#journal.commitEvent({ taskId: call.task_id, turnId: call.turn_id, event }, store);
    this.#asked.delete(seq);
    asked.resolve(verdict);
    return isStored;
  }
}

const ALLOWED: ToolVerdict = { verdict: "allow", reason: null, input: null, error: null };

function verdictOf(answer: HookAnswer, onError: ToolHookRules["on_error"]): ToolVerdict {
  switch (answer.verdict) {
    case "allow":
    case "ask":
      return { ...ALLOWED, verdict: answer.verdict };
    case "deny":
      return { ...ALLOWED, verdict: "deny", reason: answer.reason ?? null };
    case "change":
      return { ...ALLOWED, verdict: "change", input: answer.input };
    case "failed":
      return { ...ALLOWED, verdict: onError, error: answer.error };
    default:
      return answer satisfies never;
  }
}

const eventOf = (
  { call: { tool, tool_call_id, agent }, parentToolCallId }: Asked,
  { verdict, reason, input, error }: ToolVerdict,
) =>
  ({
    event: "tool_verdict",
    data: {
      tool,
      tool_call_id,
      verdict,
      ...(reason !== null && { reason }),
      ...(input !== null && { input }),
      ...(error !== null && { error }),
      ...(parentToolCallId !== undefined && { agent, parent_tool_call_id: parentToolCallId }),
    },
  }) as const;
