import type { ServerConfig } from "./server-config.ts";

/** A tool as a server lists it, before anything of it is believed. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  /** It runs only as an MCP task (`execution.taskSupport: "required"`). */
  readonly needsTask: boolean;
}

export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

export type CallResult =
  | {
      readonly kind: "result";
      readonly content: readonly ContentBlock[];
      readonly structured: unknown;
      readonly isError: boolean;
    }
  /** The call came to nothing; why, for the model. */
  | { readonly kind: "failed"; readonly words: string };

/** What a server wants to know of a person: a form of simple fields, as JSON Schema. */
export interface ElicitationForm {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
export type ElicitationResult =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" | "cancel" };

/**
 * One connection to one server, from the handshake to its end. This is the seam to the SDK, which is in a bundle of its
 * own: only plain values pass it, no classes. Nothing here is restarted; who holds it makes a new one.
 */
export interface McpServerConnection {
  readonly protocolVersion: string;
  listTools(): Promise<readonly ListedTool[]>;
  /** Never rejects; ends at once when the signal aborts, and the server is told. */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly onProgress: () => void },
  ): Promise<CallResult>;
  /** Resolves with why when the connection is over. */
  readonly ended: Promise<string>;
  /** Ends it; resolves when the process of a local server and all below it are gone. */
  close(): Promise<void>;
}

export interface ConnectParams {
  readonly server: ServerConfig;
  readonly workspaceDir: string;
  /** All that a local server's environment has beside its own `env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: ServerLog;
  readonly onToolsChanged: () => void;
  readonly onElicitation: (question: ElicitationForm) => Promise<ElicitationResult>;
  readonly signal: AbortSignal;
}

/** Rejects with an Error in plain words, and nothing left running. */
export type Connect = (order: ConnectParams) => Promise<McpServerConnection>;

/** Where a server's words go. Bounded, whatever the server says; the values of its settings are hidden. */
export interface ServerLog {
  /** One message of the protocol. */
  frame(direction: "sent" | "received", text: string | Buffer): void;
  stderr(chunk: string): void;
  note(words: string): void;
  /** What an operator should know of at any log level. Whoever tells it does so once. */
  warn(words: string): void;
  /** A new process of the server begins: what the one before said is not its own. */
  started(): void;
  /** The end of what its process has said on standard error, line by line and in one. */
  stderrTail(): readonly string[];
  stderrText(): string;
  hide(text: string): string;
}
