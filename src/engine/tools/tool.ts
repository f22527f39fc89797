import type { ToolInput } from "./tool-input.ts";

/**
 * The seam to everything the model may call. A tool checks nothing of permission (one `authorize` stands in front of
 * one `execute`) and keeps no deadline of its own: the executor aborts `context.signal` and the tool must then be gone,
 * its child processes included; what it throws then may hold what it had so far. It returns text or JSON for the model; it throws {@link ToolFailed} for what the model should read.
 */
export interface Tool<Input extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>> {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
  /** What brings it, such as a tool server; left out for those that are built in. */
  readonly source?: string;
  /** A read-only call may be run again after a crash. */
  readonly readOnly: boolean;
  /** `ask` puts a human in front of each call unless a grant stands. */
  readonly permission: "allow" | "ask";
  /** It waits for a person: such a call runs alone, for nothing else goes on while a question is open. */
  readonly asksHuman?: boolean;
  /** Whether this call in particular may have to wait for one. */
  mayAskHuman?(input: Input): boolean;
  /** It only waits for another agent, whose calls have deadlines of their own and count against the cap themselves. */
  readonly delegates?: boolean;
  /** Where the tool needs more or less time than others; what the executor has for all is in force otherwise. */
  timeoutMs?(input: Input): number;
  /** Its time counts from its last sign of life, ten minutes in all at most. */
  readonly prolongedByProgress?: boolean;
  /** How long after its signal a call may take to have its processes gone; it is not over before. At once if left out. */
  readonly goneWithinMs?: number;
  /** Names of what a call changes, those below a name included (`workspace/notes` covers `workspace/notes/a.md`). */
  resources(input: Input): readonly string[];
  /** Names of what it looks at. Calls of one step that meet run in order when one changes, all others at once. */
  reads?(input: Input): readonly string[];
  /**
   * The file or folder of the workspace that the call is about. A person is asked about its real path, a grant covers
   * that, and the call is held to it: `context.place`.
   */
  path?(input: Input): string;
  /** Where there is no `path`: what a person is asked about and a grant covers, to the letter; else the whole input. */
  subject?(input: Input): string;
  run(input: Input, context: ToolContext): Promise<unknown>;
}

export interface ToolContext {
  readonly taskId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly workspaceDir: string;
  /** Of a call that a person or a grant allowed: the real path it was allowed for, from the workspace on. */
  readonly place?: string | undefined;
  /** Aborted by time-out, cancel or drain; its reason says which. */
  readonly signal: AbortSignal;
  /** Puts a question to the human of this turn and waits; nothing else of the turn goes on meanwhile. */
  ask(question: HumanQuestion): Promise<string>;
  /** Writes one entry into working memory and tells the stream. */
  note(entryType: "note" | "observation" | "summary", content: string): void;
  /** Tells that the call is alive: it counts as progress of the turn. */
  progress(): void;
  /** Has another agent of the catalog do something, within this turn, and gives its last words. */
  delegate?(order: DelegateOrder): Promise<string>;
}

export interface DelegateOrder {
  readonly agent: string;
  readonly task: string;
}

export interface HumanQuestion {
  readonly question: string;
  readonly options: readonly string[];
  /** Whether any text is an answer, beside the options. */
  readonly allowFreeText: boolean;
  /** Withdraws the question, when an answer would be of no use any more. */
  readonly signal?: AbortSignal;
}

/** The engine stops: the call has no outcome yet and goes on at the next start. */
export class CallParked extends Error {
  override readonly name = "CallParked";
}

/** A failure whose words are for the model: it may try otherwise. Anything else a tool throws is a fault of ours. */
export class ToolFailed extends Error {
  override readonly name = "ToolFailed";
}
