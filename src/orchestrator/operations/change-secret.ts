import type { Forgotten } from "../../contract/broker/forget.ts";
import { SECRET_LIMITS, SECRET_NAME, SECRET_NAME_FORM } from "../../contract/orchestrator/secret-limits.ts";
import type { SecretRecord, SecretRequest } from "../../contract/orchestrator/secret.ts";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { sourceProblem } from "../secrets/read-source.ts";
import { secretContext } from "../secrets/secret-values.ts";
import { secretNotFound, secretRecord } from "../status/look-up-secret.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { engineNotFound } from "../status/look-up-engine.ts";
import { appendAudit } from "../store/audit-log.ts";
import { dataKeyOf } from "../store/data-keys.ts";
import { notifyForgotten } from "../store/forgotten-answers.ts";
import type { Trx } from "../store/database.ts";
import {
  OF_PRODUCT,
  type SecretKey,
  type SecretOwner,
  deleteSecret as deleteRow,
  lockOwner,
  putSecret,
} from "../store/secrets.ts";

type Host = Pick<HostContext, "db" | "box" | "secrets" | "broker">;

const HASH_DIGITS = 8;

/** Sets a secret of a product or a user. Its value is in no answer, event or line of the audit log. */
export async function setSecret(host: Host, key: SecretKey, request: SecretRequest): Promise<SecretRecord> {
  assertName(key.name);
  const { value, from, hosts, place } = request;
  if ((value === undefined) === (from === undefined)) throw new InvalidInput("value", "expected either value or from");
  const problem = from === undefined ? null : sourceProblem(host.secrets.sources, from);
  if (problem !== null) throw new InvalidInput("from", problem);
  if (hosts.includes("*"))
    throw new InvalidInput("hosts", "expected hosts by name; a secret is never sent to every host");
  const shown = { hosts: [...new Set(hosts)], place, ...carrierOf(request) };
  const row = await host.db.transaction().execute(async (trx) => {
    await assertOwner(trx, key);
    const sealed =
      value === undefined ? null : (await dataKeyOf(host, trx, key.productId)).seal(value, secretContext(key));
    const put = await putSecret(
      trx,
      {
        product_id: key.productId,
        user_id: key.userId,
        name: key.name,
        sealed,
        source: from ?? null,
        ...shown,
        hash_prefix: value === undefined ? null : sha256(value).slice(0, HASH_DIGITS),
      },
      key.userId === OF_PRODUCT ? SECRET_LIMITS.ofProduct : SECRET_LIMITS.ofUser,
    );
    if (put === null) throw new ApiError("QUOTA_EXCEEDED", "there are 100 secrets already; delete one");
    await notifyForgotten(trx, forgottenSecret(key));
    await record(trx, "secret.set", key, { ...shown, ...(from !== undefined && { from }) });
    return put;
  });
  host.secrets.changed(from);
  // Starts it, if this is the first one.
  host.broker?.access();
  await host.broker?.forget(forgottenSecret(key));
  return secretRecord(row);
}

/** Deletes a secret. Requests that carry it are refused from now on. */
export async function deleteSecret(host: Host, key: SecretKey): Promise<void> {
  await host.db.transaction().execute(async (trx) => {
    await assertOwner(trx, key);
    if (!(await deleteRow(trx, key))) throw secretNotFound();
    await notifyForgotten(trx, forgottenSecret(key));
    await record(trx, "secret.deleted", key, {});
  });
  await host.broker?.forget(forgottenSecret(key));
}

/** Of all engines: the broker does not know whose they are. */
const forgottenSecret = ({ name }: SecretKey): Forgotten => ({ secrets: [name] });

/** The header or parameter, and what stands before the value. */
function carrierOf({ place, header, prefix }: SecretRequest) {
  switch (place) {
    case "header": {
      const name = header ?? "Authorization";
      return { header: name, prefix: prefix ?? (name.toLowerCase() === "authorization" ? "Bearer " : null) };
    }
    case "query":
      return { header: header ?? "token", prefix: null };
    case "basic":
      return { header: null, prefix: prefix ?? "token" };
    default:
      return { header: null, prefix: null };
  }
}

async function assertOwner(trx: Trx, owner: SecretOwner): Promise<void> {
  if (await lockOwner(trx, owner)) return;
  if (owner.userId !== OF_PRODUCT) engineNotFound();
  productNotFound(owner.productId);
}

function assertName(name: string): void {
  if (!SECRET_NAME.test(name)) throw new InvalidInput("secret_name", SECRET_NAME_FORM);
}

const record = (
  trx: Trx,
  action: string,
  { productId, userId, name }: SecretKey,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> =>
  appendAudit(trx, {
    action,
    product_id: productId,
    detail: { name, ...(userId !== OF_PRODUCT && { user_id: userId }), ...detail },
  });
