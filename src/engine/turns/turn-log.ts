import { SUBMIT_RESULT } from "../../contract/engine/tool-names.ts";
import { callsOf, resultRequest } from "../agent/conversation.ts";
import type {
  AssistantContent,
  CompactionRecord,
  LoggedCall,
  NextStep,
  MessageRow,
  StepLog,
  StoredMessage,
  ToolOutcome,
} from "../agent/step-log.ts";
import type { CompactionTable } from "../store/compactions.ts";
import type { LoadedToolTable } from "../store/loaded-tools.ts";
import type { MessageTable } from "../store/messages.ts";
import type { ToolCallRow, ToolCallTable } from "../store/tool-call-table.ts";
import type { TurnTable } from "../store/turns.ts";
import type { ContextItem } from "../../contract/engine/turn-context.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { withContext } from "../attachments/message-context.ts";
import type { UserContent } from "../attachments/user-content.ts";
import type { EventJournal } from "./event-journal.ts";
import { type Inbox, type WaitingRow, taken } from "./inbox.ts";

export interface TurnLogParts {
  readonly journal: EventJournal;
  readonly turns: TurnTable;
  readonly messages: MessageTable;
  readonly toolCalls: ToolCallTable;
  readonly compactions: CompactionTable;
  readonly loadedTools: LoadedToolTable;
  readonly inbox: Pick<Inbox, "steering" | "take">;
}

/** The conversation of a log within its turn. The task's own conversation has the thread "". */
export interface LogContext {
  readonly taskId: string;
  readonly turnId: string;
  readonly thread: string;
  readonly signal: AbortSignal;
  /** Number of content blocks emitted in the turn. */
  readonly blocks: () => number;
}

/** The step log of one loop, in the store. Each step is one transaction with its events. */
export class TurnLog implements StepLog {
  readonly #parts: TurnLogParts;
  readonly #context: LogContext;
  readonly #calls: LoggedCall[];
  #steps: number;
  #next: NextStep["kind"];
  #brokenOff: readonly AssistantContent[] = [];
  #compaction: CompactionRecord | null;

  constructor(parts: TurnLogParts, context: LogContext) {
    this.#parts = parts;
    this.#context = context;
    const { answers, last } = parts.messages.progress(context.turnId, context.thread);
    this.#steps = answers;
    this.#compaction = parts.compactions.last(context.taskId, context.thread) as CompactionRecord | null;
    this.#calls = parts.toolCalls.ofThread(context.turnId, context.thread).map(loggedCall);
    const asksForCalls = last?.role === "assistant" && callsOf([last]).length > 0;
    if (asksForCalls && this.#open().length > 0) this.#next = "settle_calls";
    else this.#next = last?.role === "assistant" && !asksForCalls ? "done" : "ask_model";
  }

  get steps(): number {
    return this.#steps;
  }

  next(): NextStep {
    return this.#next === "settle_calls" ? { kind: this.#next, calls: this.#open() } : { kind: this.#next };
  }

  get conversation(): string {
    return `${this.#context.thread}\n${this.#context.taskId}`;
  }

  messages(): readonly MessageRow[] {
    return this.#parts.messages.ofTask(this.#context.taskId, this.#context.thread, this.#compaction?.hiddenThrough);
  }

  get opensTurn(): boolean {
    const { turnId, thread } = this.#context;
    return thread === "" && this.#steps === 0 && this.#parts.messages.recallOf(turnId) === null;
  }

  rewoundTurns(): ReadonlySet<string> {
    return this.#parts.messages.rewoundTurns(this.#context.taskId);
  }

  recalled(block: string, trust: number): void {
    const { turnId } = this.#context;
    this.#store(() => this.#parts.messages.recalled(turnId, { block, trust }, Date.now()), { isStep: false });
  }

  compaction(): CompactionRecord | null {
    return this.#compaction;
  }

  compacted(record: CompactionRecord): void {
    const { taskId, turnId, thread, signal } = this.#context;
    const { journal, compactions } = this.#parts;
    const { strategy, beforeTokens, afterTokens, leftOut } = record;
    signal.throwIfAborted();
    const data = {
      before_tokens: beforeTokens,
      after_tokens: afterTokens,
      strategy,
      ...(strategy === "summary" && { summarised_turn_ids: leftOut }),
    };
    journal.commitEvent({ taskId, turnId, event: { event: "compaction_event", data } }, () =>
      compactions.insert({ taskId, turnId, thread, strategy, record }, Date.now()),
    );
    this.#compaction = record;
  }

  loadedTools(): readonly string[] {
    return this.#parts.loadedTools.ofThread(this.#context.taskId, this.#context.thread);
  }

  load(tools: readonly string[]): void {
    const { taskId, thread } = this.#context;
    this.#store(() => this.#parts.loadedTools.add(taskId, thread, tools), { isStep: false });
  }

  settledCalls(): readonly LoggedCall[] {
    return this.#next === "settle_calls" ? this.#calls.filter(({ step }) => step < this.#steps) : this.#calls;
  }

  /** Of rewound messages too: the conversation of a sub-agent is named by its call. */
  callIds(): readonly string[] {
    const { taskId, thread } = this.#context;
    const { messages } = this.#parts;
    return callsOf([...messages.ofTask(taskId, thread), ...messages.rewound(taskId)]).map(({ id }) => id);
  }

  /** Stores the first message of a nested conversation, unless it has one. */
  open(message: string): void {
    if (this.messages().length === 0) this.#store(() => this.#append("user", message));
  }

  answered({ content, calls }: Parameters<StepLog["answered"]>[0]): void {
    const { turnId, thread, blocks } = this.#context;
    const { turns, toolCalls } = this.#parts;
    const step = this.#steps + 1;
    this.#store(() => {
      if (content.length > 0) this.#append("assistant", content);
      for (const { id, tool, input, rawInput } of calls)
        toolCalls.plan({ turnId, thread, step }, { toolCallId: id, tool, input, rawInput });
      turns.answered(turnId, blocks());
    });
    this.#steps = step;
    this.#calls.push(...calls.map((call): LoggedCall => ({ ...call, step, progress: { kind: "planned" } })));
    this.#next = calls.length > 0 ? "settle_calls" : "done";
  }

  started(callId: string, { readOnly }: { readonly readOnly: boolean }): void {
    const { turnId } = this.#context;
    // Durable: a call with side effects must not run twice even after a power failure.
    this.#store(() => this.#parts.toolCalls.start(turnId, callId), { durable: !readOnly, isStep: false });
  }

  finished(outcome: ToolOutcome): void {
    this.#store(() => this.#parts.toolCalls.finish(this.#context.turnId, outcome.id, outcome));
    const at = this.#calls.findIndex(({ id }) => id === outcome.id);
    const call = this.#calls[at];
    if (call !== undefined) this.#calls[at] = { ...call, progress: { kind: "finished", outcome } };
  }

  settled(results: readonly ToolOutcome[]): void {
    this.#store(() => this.#append("tool", results));
    this.#next = "ask_model";
  }

  takeMessages(): void {
    for (const row of this.#steering()) this.#take(row);
  }

  cutOff(content: readonly AssistantContent[], why: string): void {
    const { turnId, blocks } = this.#context;
    const keep = () => {
      if (content.length > 0) this.#append("assistant", content);
      const calls = content.filter((part) => part.kind === "tool_use");
      const results = calls.map(({ id, tool }): ToolOutcome => ({ id, tool, output: why, isError: true }));
      if (results.length > 0) this.#append("tool", results);
      this.#parts.turns.answered(turnId, blocks());
    };
    const [first] = this.#steering();
    if (first === undefined) this.#store(keep);
    else this.#take(first, keep);
    if (content.length > 0) this.#steps++;
    this.#next = "ask_model";
  }

  result(): Readonly<Record<string, unknown>> | null {
    const accepted = this.#calls.find(({ tool, progress }) => tool === SUBMIT_RESULT && isAccepted(progress));
    return accepted?.input ?? null;
  }

  failedResults(): readonly string[] {
    const { turnId, thread } = this.#context;
    return this.#parts.messages.ofTurn(turnId).flatMap((message) => {
      if (message.thread !== thread || message.role !== "tool") return [];
      const outcomes = message.content as readonly ToolOutcome[];
      return outcomes.flatMap(({ tool, isError, output }) => (tool === SUBMIT_RESULT && isError ? String(output) : []));
    });
  }

  asked(text: string): void {
    this.#store(() => this.#append("tool", [resultRequest(text)]));
    this.#next = "ask_model";
  }

  brokeOff(content: readonly AssistantContent[]): void {
    this.#brokenOff = content;
  }

  /**
   * Stores a partial answer and a result, `message`, for each unfinished call. Runs in the transaction of the turn's end
   * and changes nothing but the store, since that transaction may be retried.
   */
  close(message: string): void {
    const known = new Map(
      this.#open().flatMap(({ id, progress }) => (progress.kind === "finished" ? [[id, progress.outcome]] : [])),
    );
    if (this.#brokenOff.length > 0) this.#append("assistant", this.#brokenOff);
    const unsettled =
      this.#next === "settle_calls" ? this.#open() : this.#brokenOff.filter((part) => part.kind === "tool_use");
    const results = unsettled.map(
      ({ id, tool }): ToolOutcome => known.get(id) ?? { id, tool, output: message, isError: true },
    );
    if (results.length > 0) this.#append("tool", results);
  }

  /** The messages that wait for this turn. A nested conversation gets none. */
  #steering(): readonly WaitingRow[] {
    const { taskId, thread } = this.#context;
    return thread === "" ? this.#parts.inbox.steering(taskId) : [];
  }

  /** Moves a waiting message into the conversation, in one transaction with its event and what comes `before` it. */
  #take(row: WaitingRow, before: () => void = () => undefined): void {
    const { taskId, turnId, signal } = this.#context;
    const { journal, turns, inbox } = this.#parts;
    signal.throwIfAborted();
    journal.commitEvent({ taskId, turnId, event: taken(row, "steer") }, () => {
      before();
      inbox.take(row, turnId);
      this.#append("user", this.#contentOf(row));
      turns.stepped(turnId);
    });
  }

  /** A message with its context, unless that fits the task no longer. */
  #contentOf({ content, options }: WaitingRow): UserContent {
    const { context = [] } = options as { readonly context?: readonly ContextItem[] };
    try {
      return withContext(content as UserContent, context, () => this.#parts.messages.ofTask(this.#context.taskId));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return content as UserContent;
    }
  }

  #open(): readonly LoggedCall[] {
    return this.#calls.filter(({ step }) => step === this.#steps);
  }

  #append(role: StoredMessage["role"], content: unknown): void {
    const { taskId, turnId, thread } = this.#context;
    this.#parts.messages.append(taskId, { turnId, role, content }, thread);
  }

  #store(work: () => void, { durable = false, isStep = true } = {}): void {
    const { turnId, signal } = this.#context;
    signal.throwIfAborted();
    const step = () => {
      work();
      if (isStep) this.#parts.turns.stepped(turnId);
    };
    this.#parts.journal.commit(step, { durable });
  }
}

const isAccepted = (progress: LoggedCall["progress"]): boolean =>
  progress.kind === "finished" && !progress.outcome.isError;

function loggedCall(row: ToolCallRow): LoggedCall {
  const { step, toolCallId: id, tool, input, rawInput, state, output, isError, attachments } = row;
  const call = { step, id, tool, input, rawInput };
  if (state === "finished") {
    const outcome = { id, tool, output, isError, ...(attachments !== null && { attachments }) };
    return { ...call, progress: { kind: state, outcome } };
  }
  return { ...call, progress: { kind: state } };
}
