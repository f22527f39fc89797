import { sameSecret } from "../../contract/orchestrator/api-keys.ts";
import type { HostContext } from "../host-context.ts";
import type { SignInChecks } from "../identity/identity-provider.ts";

/**
 * A sign-in between the redirect to the provider and the callback. The browser keeps it, sealed, so that it outlives the
 * daemon and any replica can continue it, and so that callers without a session store nothing in the database.
 */
export interface PendingSignIn extends SignInChecks {
  readonly issuer: string;
  /** The path of a view. */
  readonly returnTo: string;
  readonly endsAt: number;
}

/** Other texts are sealed with the same key. */
const KIND = "console sign-in ";
const MAX_PATH = 1024;

/** Whether a text is the path of a view. It comes after the `#` of the console's own address, and so leads nowhere else. */
export const isConsolePath = (text: string): boolean => text.length <= MAX_PATH && /^\/[\x21-\x7e]*$/.test(text);

export const sealPending = ({ box }: Pick<HostContext, "box">, signIn: PendingSignIn): string =>
  box.seal(KIND + JSON.stringify(signIn)).toString("base64url");

/** The sign-in that a browser began with this state. Null for one that is over, another browser's, or another provider's. */
export function openPending(
  { box, now }: Pick<HostContext, "box" | "now">,
  sealed: string,
  { state, issuer }: { readonly state: string; readonly issuer: string },
): PendingSignIn | null {
  const opened = unsealed(box, sealed);
  if (opened?.startsWith(KIND) !== true) return null;
  const signIn = JSON.parse(opened.slice(KIND.length)) as PendingSignIn;
  const isOurs = sameSecret(state, signIn.state) && signIn.issuer === issuer;
  return isOurs && signIn.endsAt - now() > 0 ? signIn : null;
}

function unsealed(box: HostContext["box"], sealed: string): string | null {
  try {
    return box.open(Buffer.from(sealed, "base64url"));
  } catch {
    // Sealed with another key, or altered.
    return null;
  }
}
