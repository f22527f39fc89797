import type { LoginTarget } from "../../contract/engine/tool-login.ts";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { newId } from "../../shared/ids.ts";
import type { HostContext } from "../host-context.ts";
import { keepLogin } from "../store/logins.ts";
import type { EngineRow } from "../store/tables.ts";
import { loginAddresses } from "./login-addresses.ts";

/** A turn may wait for a person for days. */
const OF_TURN_MS = 7 * 24 * 3_600_000;
const OF_CALL_MS = 3_600_000;

interface WaitingTurn {
  readonly turn_id: string;
  readonly task_id: string;
  readonly tool_call_id: string;
}

export interface LoginLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * The link with which a user signs in to a tool server. A turn that asks again after a restart gets the same one: it is
 * derived, and no link is stored.
 */
export async function loginLink(
  host: Pick<HostContext, "db" | "box" | "now" | "settings">,
  engine: Pick<EngineRow, "id" | "product_id" | "host_id">,
  { target, turn }: { readonly target: LoginTarget; readonly turn: WaitingTurn | null },
): Promise<LoginLink> {
  const place = turn === null ? [newId("login")] : [turn.turn_id, turn.tool_call_id];
  const token = host.box.token("login", engine.id, JSON.stringify(target), ...place);
  const expiresAt = new Date(host.now() + (turn === null ? OF_CALL_MS : OF_TURN_MS));
  const row = {
    hash: sha256(token),
    engine_id: engine.id,
    product_id: engine.product_id,
    host_id: engine.host_id,
    server: target.server,
    target: JSON.stringify(target),
    turn_id: turn?.turn_id ?? null,
    task_id: turn?.task_id ?? null,
    created_at: new Date(host.now()),
    expires_at: expiresAt,
  };
  await host.db.transaction().execute((trx) => keepLogin(trx, row));
  return { url: loginAddresses(host).linkOf(token), expiresAt };
}
