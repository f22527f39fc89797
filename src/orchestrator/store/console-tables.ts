import type { SessionOpener, SessionRole } from "../../contract/console/session-limits.ts";

export interface ConsoleSessionsTable {
  id: string;
  /** SHA-256 of the token in the cookie. */
  hash: string;
  role: SessionRole;
  opened_by: SessionOpener;
  /** The identity provider's id of the person; null unless it opened the session. */
  subject: string | null;
  person_name: string | null;
  email: string | null;
  /** The ID token, sealed. Null when there is none, or it is too long to be sent in an address. */
  id_token: Buffer | null;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
}

export interface ConsoleLinksTable {
  hash: string;
  role: SessionRole;
  expires_at: Date;
}
