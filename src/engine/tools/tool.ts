import type { KnowledgeResult } from "../../contract/engine/knowledge-result.ts";
import type { ResultFiles } from "../attachments/result-files.ts";
import type { Scope } from "../telemetry/engine-telemetry.ts";
import type { CallCheckpoint } from "./call-checkpoint.ts";
import type { ToolInput } from "./tool-input.ts";

/**
 * The seam to everything the model may call. `authorize` checks permissions and `execute` the deadline, not the tool.
 * When `context.signal` aborts, the tool must end with all its child processes; its error may hold partial output.
 * It returns text or JSON for the model, and throws {@link ToolFailed} with a message for the model.
 */
export interface Tool<Input extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>> {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
  /** Where it comes from, such as a tool server; omitted for built-in tools. */
  readonly source?: string;
  /** It is in every request, and never left to tool search. */
  readonly alwaysLoad?: boolean;
  /** A read-only call is repeated after a crash. */
  readonly readOnly: boolean;
  /** `ask`: each call needs a human's permission or a grant. */
  readonly permission: "allow" | "ask";
  /** The call waits for a human, and runs alone: a turn pauses while a question is open. */
  readonly asksHuman?: boolean;
  /** Whether a call with this input may ask a human. */
  mayAskHuman?(input: Input): boolean;
  /** The call waits for a sub-agent, whose own calls have deadlines and count against the concurrency cap. */
  readonly delegates?: boolean;
  /** The client runs it: the call waits for the answer, beside others of its step, and has no deadline of its own. */
  readonly runsOnClient?: boolean;
  /**
   * Where its results come from: the engine or the user, or sources that the results label with their trust. Omitted:
   * outside, and what the turn leaves in memory counts as external.
   */
  readonly returns?: "own" | "labelled";
  /** Serves the turn itself, such as a note. It neither shows what the work is nor changes what another agent reads. */
  readonly bookkeeping?: boolean;
  /** A successful call ends the turn with its input as the result. It runs after the other calls of its step. */
  readonly endsTurn?: boolean;
  /** Overrides the executor's timeout. */
  timeoutMs?(input: Input): number;
  /** Progress restarts its timeout, up to ten minutes in total. */
  readonly prolongedByProgress?: boolean;
  /** Time to end its processes after the signal, for which the executor waits. Default: 0. */
  readonly exitTimeoutMs?: number;
  /** Resources a call changes; a name covers those below it (`workspace/notes` covers `workspace/notes/a.md`). */
  resources(input: Input): readonly string[];
  /** Resources it reads. Calls of one step run concurrently, unless one changes what another uses. */
  reads?(input: Input): readonly string[];
  /** A call may change any file of the workspace, which is compared before and after it. */
  readonly changesFiles?: boolean;
  /** For a tool that writes to the workspace: how much a call may add, which the disk quota must have room for. */
  writesBytes?(input: Input): number;
  /**
   * The path argument of the call. Permission requests and grants use its real path, which the call then receives as
   * `context.realPath`.
   */
  path?(input: Input): string;
  /** Without `path`: the exact text of permission requests and grants. Default: the whole input. */
  subject?(input: Input): string;
  /**
   * What a person must do before a call starts, such as sign in. It is repeated after a restart, which a call that has
   * started is not. Throws {@link ToolFailed}.
   */
  beforeStart?(start: CallStart): Promise<void>;
  run(input: Input, context: ToolContext): Promise<unknown>;
}

/** A call that has not started. */
export type CallStart = Pick<ToolContext, "taskId" | "turnId" | "toolCallId" | "signal" | "ask" | "progress">;

/** Whether calls of a tool only wait: for a human, for the client or for another agent. */
export const waitsOnOthers = ({ asksHuman, runsOnClient, delegates }: Tool): boolean =>
  asksHuman === true || runsOnClient === true || delegates === true;

/** Finds a tool for its name in a record of a call. */
export type ToolNamed = (name: string) => Pick<Tool, "source" | "readOnly" | "returns" | "bookkeeping"> | undefined;

export interface ToolContext {
  readonly taskId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  /** The agent that calls. */
  readonly agent: string;
  readonly workspaceDir: string;
  /** The real path that was allowed, relative to the workspace. */
  readonly realPath?: string | undefined;
  /** Aborts on timeout, cancel or drain; see its reason. */
  readonly signal: AbortSignal;
  /** Telemetry scope of the call; the parent of its own calls. */
  readonly scope: Scope;
  /** Asks the human of this turn and waits; the turn pauses. */
  ask(question: HumanQuestion): Promise<string>;
  /** Stores a working memory entry and emits its event. */
  note(entryType: "note" | "observation" | "summary", content: string): void;
  /** Tells clients which passages the result has, for the sources that the answer cites. */
  cite(results: readonly KnowledgeResult[]): void;
  /** Reports progress of the call and the turn. */
  progress(): void;
  /** Stores what the call changes in the workspace, before it does. Left out by an engine that keeps none. */
  readonly checkpoint?: CallCheckpoint;
  /** Takes the files of the result, such as images, for models that can read them. */
  readonly files?: ResultFiles;
  /** Gives the call to the client and waits for the output. Rejects with {@link ToolFailed} for its error. */
  callClient?(call: ClientToolCall): Promise<unknown>;
  /** Loads tools for the rest of the conversation, from the next model call on. */
  loadTools?(names: readonly string[]): void;
  /** Delegates a task to a sub-agent within this turn; resolves with its final text, or with its result. */
  delegate?(order: DelegateOrder): Promise<unknown>;
}

export interface ClientToolCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
}

export interface DelegateOrder {
  readonly agent: string;
  readonly task: string;
}

export interface HumanQuestion {
  readonly question: string;
  readonly options: readonly string[];
  /** Whether other text than the options is accepted. */
  readonly allowFreeText: boolean;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
  /** The user is to sign in to a tool server, by this link. */
  readonly login?: { readonly server: string; readonly url: string };
}

/** The engine stops: the call has no outcome and resumes at the next start. */
export class CallParked extends Error {
  override readonly name = "CallParked";
}

/** A failure whose message the model sees. Any other error of a tool is a bug. */
export class ToolFailed extends Error {
  override readonly name = "ToolFailed";
}
