import * as z from "zod/mini";
import { AUDIENCE } from "../orchestrator/identity-token.ts";

/** At the broker: an engine asks for a token, with its engine key as bearer. */
export const IDENTITY_PATH = "/identity";
/** Longer requests are refused. */
export const MAX_IDENTITY_BYTES = 4096;

/** What an engine asks for. The daemon adds user, product and engine by itself. */
export const identityCall = z.strictObject({
  audience: z.string().check(z.regex(AUDIENCE, "expected 1 to 255 visible ASCII characters")),
  /** As the engine says. Null where no agent calls. */
  agent: z.nullable(z.string().check(z.minLength(1), z.maxLength(200))),
});
export type IdentityCall = z.output<typeof identityCall>;

export interface IdentityAnswer {
  readonly token: string;
}
