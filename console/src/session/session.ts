import { OrchdError, type SessionRecord, type SessionRole, createConsoleClient } from "@orchd/client";
import { signal } from "@preact/signals";
import { includesRole } from "../../../src/contract/console/session-limits.ts";
import { SIGN_IN_PROBLEMS, isSignInProblem } from "../../../src/contract/console/sign-in-problems.ts";
import { replacePath } from "../routing/address.ts";
import { BASE_URL } from "../routing/base-url.ts";

/** Null: not signed in. `unknown`: the session has not been read from the daemon yet. */
export const session = signal<SessionRecord | null | "unknown">("unknown");
/** Why the sign-in page is shown, if the user did not ask for it. */
export const signedOutBecause = signal<string | null>(null);

/** The session of this browser, whose cookie cannot be read: a first visit asks for none, and a later one is shown at once. */
const REMEMBERED_AS = "orchd-session";

const calls = createConsoleClient({ url: BASE_URL });

/** Signs in by the one-time link in the address, or continues the session of the cookie. */
export async function resumeSession(): Promise<void> {
  const problem = takeFragment("problem");
  if (problem !== null) return endSession(isSignInProblem(problem) ? SIGN_IN_PROBLEMS[problem] : null);
  const link = takeFragment("link");
  const returnTo = takeFragment("signed-in");
  if (returnTo !== null) replacePath(returnTo);
  const isNew = link !== null || returnTo !== null;
  const remembered = isNew ? null : rememberedSession();
  if (!isNew && remembered === null) return endSession(null);
  // The page does not wait for the daemon: it refuses the calls of a session that is over.
  session.value = remembered ?? "unknown";
  try {
    beginSession(link === null ? await calls.session() : await calls.signIn({ link }));
  } catch (error) {
    if (link === null && isSessionOver(error)) endSession("Your session has ended. Sign in again to continue.");
    else showSignIn(error instanceof Error ? error.message : String(error));
  }
}

export async function signIn(adminKey: string): Promise<void> {
  beginSession(await calls.signIn({ adminKey }));
}

/** Also out of the identity provider, where it has a page for it. */
export async function signOut(): Promise<void> {
  const { provider_url: url } = await calls.signOut();
  endSession(null);
  if (url !== null) location.assign(url);
}

/** Where a browser begins to sign in with the identity provider. Null without one. */
export async function providerSignIn(): Promise<{ readonly host: string; readonly url: string } | null> {
  const { oidc } = await calls.signInOptions();
  return oidc === null ? null : { host: new URL(oidc.issuer).host, url: oidc.url };
}

function beginSession(opened: SessionRecord): void {
  localStorage.setItem(REMEMBERED_AS, JSON.stringify(opened));
  continueWith(opened);
}

function continueWith(opened: SessionRecord): void {
  signedOutBecause.value = null;
  session.value = opened;
}

function rememberedSession(): SessionRecord | null {
  try {
    return JSON.parse(localStorage.getItem(REMEMBERED_AS) ?? "null") as SessionRecord | null;
  } catch {
    return null;
  }
}

/** Ends the session, or continues with another, when another tab of the browser did. */
export function followOtherTabs(): void {
  addEventListener("storage", ({ key }) => {
    if (key !== REMEMBERED_AS && key !== null) return;
    const remembered = rememberedSession();
    if (remembered !== null) continueWith(remembered);
    else if (session.value !== null) showSignIn(null);
  });
}

/** Shows the sign-in page in all tabs of the browser: the session is over. */
export function endSession(reason: string | null): void {
  localStorage.removeItem(REMEMBERED_AS);
  showSignIn(reason);
}

/** The address stays, so that signing in leads back to the view. */
function showSignIn(reason: string | null): void {
  signedOutBecause.value = reason;
  session.value = null;
}

/** Whether an error means that the session has ended: it expired or was revoked. */
const isSessionOver = (error: unknown): boolean =>
  error instanceof OrchdError &&
  error.status === 401 &&
  (error.code === "INVALID_SESSION" || error.code === "INVALID_ENGINE_KEY");

/** Whether the role of the session includes another. */
export const may = (role: SessionRole): boolean =>
  session.value !== null && session.value !== "unknown" && includesRole(session.value.role, role);

/** A value that the address brings, such as a one-time link. It is removed at once, so that it is not in the history. */
function takeFragment(name: "link" | "signed-in" | "problem"): string | null {
  const [, value] = new RegExp(`^#${name}=([\\w.%~!*'()-]+)$`).exec(location.hash) ?? [];
  if (value === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    return decodeURIComponent(value);
  } catch {
    // A link with a damaged escape brings nothing.
    return null;
  }
}
