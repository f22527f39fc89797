import * as z from "zod/mini";
import { CONTROL_PATHS, CONTROL_TOKEN_HEADER } from "../../contract/engine/control.ts";
import {
  type HookAnswer,
  type HookedCall,
  MAX_HOOK_PAGE_BYTES,
  TOOL_HOOK_RESPONSES,
  type ToolHookRules,
} from "../../contract/engine/tool-hook.ts";
import { askEngine } from "./ask-engine.ts";
import type { ControlTarget } from "./engine-control.ts";

const TIMEOUT_MS = 2000;

interface Failed {
  readonly kind: "failed";
  readonly reason: string;
}
/** An engine of an earlier release has no such call. */
interface Unsupported {
  readonly kind: "unsupported";
}

/** Tells an engine what its product's policy says of the hook on tools. */
export async function setEngineToolHook(
  target: ControlTarget,
  hook: ToolHookRules | null,
): Promise<{ readonly kind: "ok" } | Unsupported | Failed> {
  const asked = await ask(target, CONTROL_PATHS.toolHook, { method: "POST", body: { hook }, timeoutMs: TIMEOUT_MS });
  return asked.kind === "answered" ? { kind: "ok" } : asked;
}

/** The calls after a number about which the product is to decide. Waits for one until the signal is aborted. */
export async function readHookedCalls(
  target: ControlTarget,
  { after, waitMs, signal }: { readonly after: number; readonly waitMs: number; readonly signal: AbortSignal },
): Promise<{ readonly kind: "read"; readonly calls: readonly HookedCall[] } | Unsupported | Failed> {
  const query = new URLSearchParams({ after: String(after), wait_ms: String(waitMs) }).toString();
  const asked = await ask(target, `${CONTROL_PATHS.hooks}?${query}`, {
    timeoutMs: waitMs + TIMEOUT_MS,
    maxAnswerBytes: MAX_HOOK_PAGE_BYTES,
    signal,
  });
  if (asked.kind !== "answered") return asked;
  const read = z.safeParse(TOOL_HOOK_RESPONSES.HookedCalls, asked.body);
  return read.success
    ? { kind: "read", calls: read.data.calls }
    : { kind: "failed", reason: "the engine's calls for the hook are invalid" };
}

/** Gives an engine the decision about a call. */
export async function answerHookedCall(
  target: ControlTarget,
  { turn_id, tool_call_id, attempt }: HookedCall,
  answer: HookAnswer,
): Promise<"ok" | "failed"> {
  const body = { turn_id, tool_call_id, attempt, answer };
  const asked = await ask(target, CONTROL_PATHS.hooks, { method: "POST", body, timeoutMs: TIMEOUT_MS });
  return asked.kind === "answered" ? "ok" : "failed";
}

async function ask(
  { url, token }: ControlTarget,
  path: string,
  question: Omit<Parameters<typeof askEngine>[0], "url" | "headers">,
): Promise<{ readonly kind: "answered"; readonly body: unknown } | Unsupported | Failed> {
  const answer = await askEngine({ ...question, url: url + path, headers: { [CONTROL_TOKEN_HEADER]: token } });
  if (answer.kind === "failed") return answer;
  if (answer.status === 200) return { kind: "answered", body: answer.body };
  if (answer.status === 404) return { kind: "unsupported" };
  return { kind: "failed", reason: `the engine answered ${answer.status}` };
}
