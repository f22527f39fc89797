import type { LimitedLauncher, SandboxRequest } from "../../sandbox/programs.ts";
import type { CallFacts } from "../tools/call-facts.ts";
import type { ProgramSecrets } from "../tools/command/program-secrets.ts";
import type { Network } from "../tools/web/guarded-request.ts";
import type { IdentitySource } from "../tools/web/identity-source.ts";
import type { ServerConfig } from "./server-config.ts";
import type { ToolBroker } from "./server-login.ts";

/** A tool as listed by `tools/list`, not yet validated. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  /** The tool runs only as an MCP task (`execution.taskSupport: "required"`). */
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
  /** The request itself failed; `message` is for the model. */
  | { readonly kind: "failed"; readonly message: string };

/** A form elicitation: a flat JSON Schema of primitive fields. */
export interface ElicitationForm {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
export type ElicitationResult =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" | "cancel" };

interface McpCallOptions {
  readonly signal: AbortSignal;
  /** The call, for headers that differ between calls. */
  readonly facts: CallFacts;
  readonly onProgress: () => void;
  /** W3C trace context of the call. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/**
 * One connection to one server, from handshake to close. It never reconnects. This is the seam to the SDK, which lives
 * in a separate bundle: only plain values cross it, no class instances.
 */
export interface McpServerConnection {
  readonly protocolVersion: string;
  listTools(): Promise<readonly ListedTool[]>;
  /** Never rejects. When the signal aborts, it settles at once and sends `notifications/cancelled`. */
  call(tool: string, input: Readonly<Record<string, unknown>>, options: McpCallOptions): Promise<CallResult>;
  /** Resolves with the reason when the connection has closed. */
  readonly closed: Promise<string>;
  /** Closes the connection; resolves when no process of a local server is left. */
  close(): Promise<void>;
}

export interface ConnectParams {
  readonly server: ServerConfig;
  readonly workspaceDir: string;
  /** Environment of a local server, extended by its own `env`. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Starts a local server. */
  readonly launcher: Pick<LimitedLauncher, "start">;
  readonly secrets: ProgramSecrets;
  /** The port of the proxy, for a program with this network. Null without network. */
  readonly proxyPort: (network: SandboxRequest["network"]) => Promise<number | null>;
  /** How remote servers are reached. */
  readonly outside: Pick<Network, "route">;
  /** For a remote server that asks for tokens. */
  readonly identity: IdentitySource;
  readonly log: ServerLog;
  readonly onToolsChanged: () => void;
  /** Calls of servers with logins go through it. Null: there is none. */
  readonly broker: ToolBroker | null;
  /** The user has to sign in. Called before the call or the attempt fails. */
  readonly onLoginNeeded: () => void;
  readonly onElicitation: (form: ElicitationForm) => Promise<ElicitationResult>;
  readonly signal: AbortSignal;
}

/** Rejects with a readable Error after releasing everything it opened. */
export type Connect = (params: ConnectParams) => Promise<McpServerConnection>;

/** Log of one server. Bounded in rate and line length; secret values of its settings are redacted. */
export interface ServerLog {
  /** One JSON-RPC message, at DEBUG. */
  frame(direction: "sent" | "received", text: string | Buffer): void;
  stderr(chunk: string): void;
  debug(message: string): void;
  warn(message: string): void;
  /** Clears the standard error kept from the previous process. */
  processStarted(): void;
  /** The last lines of standard error, as a list and as one text. */
  stderrTail(): readonly string[];
  stderrText(): string;
  redact(text: string): string;
}
