import type { SessionOpener, SessionRole } from "../../contract/console/session-limits.ts";

export interface ConsoleSessionsTable {
  id: string;
  /** SHA-256 of the token in the cookie. */
  hash: string;
  role: SessionRole;
  opened_by: SessionOpener;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
}

export interface ConsoleLinksTable {
  hash: string;
  role: SessionRole;
  expires_at: Date;
}
