import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import { IDEMPOTENCY_KEY_HEADER, IDEMPOTENT_REPLAYED_HEADER } from "../../contract/orchestrator/headers.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { ReceivedBody } from "../../shared/http/receive-body.ts";
import { type Outcome, callOnce } from "../operations/call-once.ts";
import type { Product } from "../operations/identify-product.ts";
import type { HostContext } from "../host-context.ts";
import type { Answer } from "./call.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Fields with secrets, which the stored response has as null. */
const SHOWN_ONCE = ["engine_api_key", "platform_api_key", "secret"];

/** Executes a POST with an `Idempotency-Key` once. A repeated request gets the stored response, without secrets. */
export async function answerOnce(
  host: Pick<HostContext, "db" | "idempotencyLimit" | "settings" | "logger" | "stopping">,
  {
    request,
    response,
    product,
    body,
    isRaw = false,
  }: {
    request: Request;
    response: Response;
    product: Product | null;
    body: Pick<ReceivedBody, "bytes">;
    /** Its route identifies repeated messages by itself. */
    isRaw?: boolean | undefined;
  },
  work: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.get(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined || request.method !== "POST" || isRaw) return work();
  if (!KEY.test(key)) throw new InvalidInput(IDEMPOTENCY_KEY_HEADER, "expected 1 to 255 visible ASCII characters");
  const call = { productId: product?.record.id ?? null, key, fingerprint: fingerprintOf(request, body.bytes) };
  const once = await callOnce(host, call, async () => outcomeOf(await work()));
  if (once.kind === "done") return once.result;
  response.set(IDEMPOTENT_REPLAYED_HEADER, "true");
  return { status: once.answer.status, body: JSON.parse(once.answer.body) };
}

/** A hash of the request, since its body may contain secrets. */
function fingerprintOf({ method, originalUrl }: Request, body: Uint8Array): string {
  return createHash("sha256").update(`${method} ${originalUrl}\n`).update(body).digest("hex");
}

function outcomeOf(answer: Answer): Outcome<Answer> {
  const isKept = answer !== undefined && answer.status >= 200 && answer.status < 300;
  return {
    result: answer,
    keep: isKept ? { status: answer.status, body: JSON.stringify(withoutKeys(answer.body)) } : null,
  };
}

function withoutKeys(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, SHOWN_ONCE.includes(name) ? null : value]),
  );
}
