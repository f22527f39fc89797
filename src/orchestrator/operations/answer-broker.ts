import type { AnswerTo, Asked } from "../../contract/broker/questions.ts";
import type { Records } from "../host-context.ts";
import { ApiError } from "../api-error.ts";
import { mayCallBroker } from "../rules/engine-lifecycle.ts";
import { connectionToken } from "./connection-token.ts";
import type { TokenHost } from "./refresh-login.ts";
import { loginLink } from "./login-link.ts";
import type { Db } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";

/** The engine whose current start this is. Null for an earlier start, and for an engine without a process. */
export async function findCurrentStart(db: Db, { engine, incarnation }: Asked<"engine">): Promise<EngineRow | null> {
  const row = await findEngineById(db, engine);
  return row !== null && row.incarnation === incarnation && mayCallBroker(row) ? row : null;
}

/** The token for a tool server, for an engine that runs. */
export async function answerConnection(
  host: TokenHost,
  { engine, incarnation, target, rejected }: Asked<"connection">,
): Promise<AnswerTo<"connection">> {
  const row = await callerOf(host, { engine, incarnation });
  const policy = await host.directory.policyOf(row.product_id);
  const current = await connectionToken(host, row.id, { target, rejected });
  const none = { token: null, expires_at: null, private_hosts: [] };
  if (current.kind !== "token") return { state: current.kind, ...none };
  const expires = current.expiresAt?.getTime() ?? null;
  const { private_hosts: hosts = [] } = policy ?? {};
  return { state: "token", token: current.value, expires_at: expires, private_hosts: [...hosts] };
}

/** The link of a login, for an engine that runs. */
export async function answerLogin(
  host: TokenHost,
  { engine, incarnation, target, turn }: Asked<"login">,
): Promise<AnswerTo<"login">> {
  const row = await callerOf(host, { engine, incarnation });
  const { url } = await loginLink(host, row, { target, turn });
  return { url };
}

async function callerOf({ db }: Pick<Records, "db">, start: Asked<"engine">): Promise<EngineRow> {
  const row = await findCurrentStart(db, start);
  if (row === null) throw new ApiError("ENGINE_NOT_FOUND", "this start of an engine has ended");
  return row;
}
