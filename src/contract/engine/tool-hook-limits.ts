/** What a product's hook on tools is sent and may answer, in a file without zod. */
export const TOOL_HOOK_LIMITS = {
  tools: 64,
  /** For one answer of the product. */
  timeoutMs: { min: 100, max: 5000, usual: 2000 },
  /** Of one call, as JSON, and of the product's answer. */
  inputBytes: 1024 * 1024,
  reason: 1000,
  /** How long a call waits for the daemon beside the product's time: it may restart. */
  daemonMs: 10_000,
} as const;

/** What happens to a call about which the product did not decide. */
export const ON_HOOK_ERROR = ["deny", "ask"] as const;

/** What the product says of a call. */
export const HOOK_VERDICTS = ["allow", "deny", "ask", "change"] as const;

/** A decision about a call, by the product or, with `error`, by the policy in its place. */
export interface ToolVerdict {
  readonly verdict: (typeof HOOK_VERDICTS)[number];
  readonly reason: string | null;
  /** Of `change`: what the call runs with. */
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
}
