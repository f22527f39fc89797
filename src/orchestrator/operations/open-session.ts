import { newKey, plausibleKey, sameSecret, sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { SessionLink, SessionPerson } from "../../contract/console/session.ts";
import {
  LINK_TOKEN_PREFIX,
  SESSION_LIMITS,
  SESSION_TOKEN_PREFIX,
  type SessionOpener,
  type SessionRole,
} from "../../contract/console/session-limits.ts";
import type { SignInRequest } from "../../contract/console/session.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";
import { type SessionRow, insertLink, insertSession, takeLink } from "../store/console-sessions.ts";
import type { Trx } from "../store/database.ts";

export interface OpenedSession {
  readonly session: SessionRow;
  readonly token: string;
}

type Host = Pick<HostContext, "db" | "now" | "settings">;

/** Opens a session of the console by the admin key or a one-time link. Throws INVALID_ADMIN_KEY or INVALID_LINK. */
export async function openSession(
  host: Host,
  adminKey: string,
  { admin_key: key, link, role }: SignInRequest,
): Promise<OpenedSession> {
  if ((key === undefined) === (link === undefined))
    throw new InvalidInput("admin_key", "expected either admin_key or link");
  if (key !== undefined && !sameSecret(key, adminKey))
    throw new ApiError("INVALID_ADMIN_KEY", "the admin key is wrong");
  if (link === undefined)
    return host.db.transaction().execute((trx) => insertOpened(host, trx, { role: role ?? "admin", by: "admin_key" }));
  if (role !== undefined) throw new InvalidInput("role", "expected none with a link, which has its own");
  return host.db.transaction().execute(async (trx) => {
    const now = new Date(host.now());
    const isPlausible = link.startsWith(LINK_TOKEN_PREFIX) && plausibleKey(LINK_TOKEN_PREFIX, link);
    const taken = isPlausible ? await takeLink(trx, sha256(link), now) : null;
    if (taken === null)
      throw new ApiError("INVALID_LINK", "the link is unknown, used or expired; orchctl console makes another one");
    return insertOpened(host, trx, { role: taken, by: "link" });
  });
}

/** The person of a session that an identity provider opens. */
interface SignedInPerson extends SessionPerson {
  /** Sealed. */
  readonly idToken: Buffer | null;
}

/** Inserts a session in the transaction, with its line of the audit log. */
export async function insertOpened(
  host: Pick<Host, "now">,
  trx: Trx,
  {
    role,
    by,
    person = null,
  }: { readonly role: SessionRole; readonly by: SessionOpener; readonly person?: SignedInPerson | null },
): Promise<OpenedSession> {
  const token = newKey(SESSION_TOKEN_PREFIX);
  const now = host.now();
  const session = {
    id: newId("ses"),
    hash: sha256(token),
    role,
    opened_by: by,
    subject: person?.subject ?? null,
    person_name: person?.name ?? null,
    email: person?.email ?? null,
    id_token: person?.idToken ?? null,
    created_at: new Date(now),
    last_used_at: new Date(now),
    expires_at: new Date(now + SESSION_LIMITS.lifetimeS * 1000),
  };
  await insertSession(trx, session);
  const { subject, person_name: name, email } = session;
  const who = subject === null ? {} : { person: { subject, name, email } };
  await appendAudit(trx, { action: "session.opened", detail: { session: session.id, role, opened_by: by, ...who } });
  return { session, token };
}

/** Creates a link that opens one session of this role. */
export async function createLink(host: Host, role: SessionRole): Promise<SessionLink> {
  const link = newKey(LINK_TOKEN_PREFIX);
  const now = host.now();
  const expires = new Date(now + SESSION_LIMITS.linkS * 1000);
  await host.db.transaction().execute(async (trx) => {
    await insertLink(trx, { hash: sha256(link), role, expires_at: expires }, new Date(now));
    await appendAudit(trx, { action: "session.link_created", detail: { role } });
  });
  // Browsers do not send the fragment, so no proxy logs the link.
  const url = `${host.settings.publicUrl ?? ""}/console/#link=${link}`;
  return { link, url, role, expires_at: expires.toISOString() };
}
