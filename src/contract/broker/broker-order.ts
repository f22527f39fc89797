/** What the daemon writes to the standard input of the broker that it starts. Only this pipe carries secrets. */
export interface BrokerOrder {
  /** Base64. */
  readonly sealing_key: string;
  /** Names the program and its settings. A later daemon keeps a broker that has the same. */
  readonly build: string;
  /** A listening socket that the process inherits, or the address to listen on. */
  readonly listen: { readonly fd: number } | { readonly host: string; readonly port: number };
  /** Whether the process confines itself. */
  readonly confine: boolean;
  readonly extra_ca_certs: string | null;
  /** Where it asks the daemon. Null: the daemon that controls it says where. */
  readonly daemon_url: string | null;
}

export const CONTROL_HEADER = "x-control-token";
/** On the daemon's call of {@link LIVE_PATH}: where the broker asks this daemon. */
export const DAEMON_HEADER = "x-daemon-url";
/** Answers with lines of JSON, a {@link BrokerReport} each, for as long as the broker lives. */
export const LIVE_PATH = "/control/live";
/** Lets the broker accept no more connections, and end with its last call. */
export const DRAIN_PATH = "/control/drain";

/** For probes: the broker answers. */
export const HEALTH_PATH = "/health";

/** How a model call ended at the broker. */
export const CALL_OUTCOMES = [
  "answered",
  "refused",
  "failed",
  "unreachable",
  "cut",
  "unauthorized",
  "over_budget",
  "cooldown",
  "over_rate",
  "unchecked",
  "too_many",
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** How a call of a tool ended at the broker. */
export const TOOL_CALL_OUTCOMES = [
  "answered",
  "refused",
  "failed",
  "unreachable",
  "cut",
  "unauthorized",
  "misused",
  "missing",
  "needs_login",
  "denied",
  "invalid",
  "unchecked",
  "too_many",
] as const;
export type ToolCallOutcome = (typeof TOOL_CALL_OUTCOMES)[number];
/** What the broker adds to a call of a tool. `egress`: nothing. */
export type ToolCallKind = "secret" | "login" | "egress";

export interface BrokerReport {
  readonly build: string;
  readonly pid: number;
  readonly open_calls: number;
  /** Since its start, by `provider outcome`. */
  readonly calls: Readonly<Record<string, number>>;
  /** The same of calls of tools, by `kind outcome`. */
  readonly tool_calls: Readonly<Record<string, number>>;
  /** Requests that were refused because of a placeholder, by the reason. */
  readonly misuses: Readonly<Record<string, number>>;
}
