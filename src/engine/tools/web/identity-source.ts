import * as z from "zod/mini";
import { AUDIENCE } from "../../../contract/orchestrator/identity-token.ts";

/** Gives a token that says for which user the engine calls. Rejects with a message for the model. */
export type IdentitySource = (asked: {
  readonly audience: string;
  /** Null where no agent calls. */
  readonly agent: string | null;
  readonly signal: AbortSignal;
}) => Promise<string>;

/** `identity` of an HTTP tool or a remote tool server. */
export const identityRequest = z.strictObject(
  { audience: z.string().check(z.regex(AUDIENCE, "expected 1 to 255 visible ASCII characters")) },
  { error: ({ code }) => (code === "unrecognized_keys" ? "expected only audience" : 'expected {"audience": …}') },
);
export type IdentityRequest = z.output<typeof identityRequest>;

/** Why `identity` and these headers exclude each other. Null where they do not. */
export const identityProblem = (
  identity: IdentityRequest | undefined,
  headers: Readonly<Record<string, string>>,
): string | null =>
  identity !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
    ? "expected no header Authorization, in which the token is sent"
    : null;
