import type { Generated, JSONColumnType, Selectable } from "kysely";
import type { LoginOutcome, LoginTarget } from "../../contract/engine/tool-login.ts";

export interface ConnectionsTable {
  engine_id: string;
  /** The tool server's name. */
  server: string;
  product_id: string;
  host_id: string;
  url: string;
  issuer: string;
  scopes: string[];
  /** Sealed. Null when the user has to sign in again. */
  tokens: Buffer | null;
  /** Grows with each change of the tokens. */
  version: Generated<string>;
  /** Of the access token. */
  expires_at: Date | null;
  /** Set while the refresh token is used, also when the daemon has ended meanwhile. */
  refresh_started_at: Generated<Date | null>;
  connected_at: Date;
  last_used_at: Generated<Date | null>;
}

export interface LoginsTable {
  /** SHA-256 of the link's token. */
  hash: string;
  engine_id: string;
  product_id: string;
  host_id: string;
  server: string;
  target: JSONColumnType<LoginTarget>;
  turn_id: string | null;
  task_id: string | null;
  created_at: Date;
  expires_at: Date;
  state_hash: Generated<string | null>;
  browser_hash: Generated<string | null>;
  state_expires_at: Generated<Date | null>;
  /** Sealed. */
  flow: Generated<Buffer | null>;
  outcome: Generated<LoginOutcome | null>;
  told_at: Generated<Date | null>;
}

export interface LoginClientsTable {
  product_id: string;
  issuer: string;
  callback_url: string;
  /** Sealed. */
  client: Buffer;
}

export interface RevocationsTable {
  id: string;
  /** Of the connection that was deleted. */
  engine_id: string;
  server: string;
  product_id: string;
  host_id: string;
  private_hosts: string[];
  /** Sealed. */
  tokens: Buffer;
  tries: Generated<number>;
  due_at: Generated<Date>;
  created_at: Generated<Date>;
}

export type ConnectionRow = Selectable<ConnectionsTable>;
export type LoginRow = Selectable<LoginsTable>;
export type RevocationRow = Selectable<RevocationsTable>;
