import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { type HookAnswer, type HookedCall, hookVerdict } from "../../contract/engine/tool-hook.ts";
import { TOOL_HOOK_LIMITS } from "../../contract/engine/tool-hook-limits.ts";
import type { HostContext } from "../host-context.ts";
import { type OutsideAnswer, callOutside } from "../outbound/call-outside.ts";
import { signedHeaders } from "../outbound/signed-headers.ts";
import type { Product } from "../store/products.ts";

type Host = Pick<HostContext, "box" | "now" | "stopping" | "metrics" | "hookFailures">;

interface Caller {
  readonly engineId: string;
  /** Of the daemon's records: an engine is not trusted to name its user. */
  readonly userId: string;
}

/** Asks a product's hook about a call. Whatever is no clear decision is a failure, for which the policy decides. */
export async function askToolHook(
  host: Host,
  product: Product | null,
  { engineId, userId, call }: Caller & { readonly call: HookedCall },
): Promise<HookAnswer> {
  const hook = product?.record.policy.tool_hook ?? null;
  if (product === null || hook === null) return failed("the product has no hook any more");
  const { task_id, turn_id, tool_call_id, agent, tool, input } = call;
  const named = { user_id: userId, engine_id: engineId, task_id, turn_id, tool_call_id };
  const body = Buffer.from(JSON.stringify({ ...named, agent, tool, input }));
  const secrets = validSecrets(host, product.toolHookSecrets);
  if (secrets.length === 0) return failed("its calls have no secret");
  const startedAt = performance.now();
  const answer = await callOutside({
    url: hook.url,
    method: "POST",
    headers: signedHeaders(secrets, { id: messageId(engineId, call), body, now: host.now() }),
    body,
    privateHosts: product.record.policy.private_hosts,
    timeoutMs: hook.timeout_ms,
    maxAnswerBytes: TOOL_HOOK_LIMITS.inputBytes,
    signal: host.stopping,
  });
  const verdict = verdictIn(answer);
  host.metrics.toolHookCalls.inc({ outcome: verdict.verdict });
  if (!host.stopping.aborted)
    host.hookFailures.record(product.record.id, verdict.verdict === "failed" ? verdict.error : null);
  host.metrics.toolHookSeconds.observe((performance.now() - startedAt) / 1000);
  return verdict;
}

function verdictIn(answer: OutsideAnswer): HookAnswer {
  if (answer.kind === "refused") return failed(`it may not be called: ${answer.reason}`);
  if (answer.kind === "failed")
    return failed(
      answer.reason === "ETIMEDOUT" ? "it did not answer in time" : `it cannot be reached: ${answer.reason}`,
    );
  if (answer.status !== 200) return failed(`it answered with the status ${answer.status}`);
  if (!answer.isWhole) return failed("its answer is too long");
  const read = z.safeParse(hookVerdict, jsonIn(answer.body));
  return read.success ? read.data : failed("its answer is no decision");
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const failed = (error: string): HookAnswer => ({ verdict: "failed", error: error.slice(0, 200) });

/** The same for each attempt, so that the product can tell a repeated question. */
const messageId = (engineId: string, { turn_id, tool_call_id }: HookedCall): string =>
  `hook_${createHash("sha256").update([engineId, turn_id, tool_call_id].join("\n")).digest("hex").slice(0, 32)}`;

function validSecrets(
  { box, now }: Pick<Host, "box" | "now">,
  { current, previous, previousExpiresAt }: Product["toolHookSecrets"],
): readonly string[] {
  const isPreviousValid = previousExpiresAt !== null && previousExpiresAt.getTime() > now();
  return [current, isPreviousValid ? previous : null].flatMap((sealed) => (sealed === null ? [] : [box.open(sealed)]));
}
