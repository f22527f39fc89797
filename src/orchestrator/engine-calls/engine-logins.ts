import * as z from "zod/mini";
import { CONTROL_PATHS, CONTROL_TOKEN_HEADER } from "../../contract/engine/control.ts";
import { type LoginOutcome, type LoginTarget, loginTargets } from "../../contract/engine/tool-login.ts";
import { askEngine } from "./ask-engine.ts";
import type { ControlTarget } from "./engine-control.ts";

const TIMEOUT_MS = 2000;

/** The tool servers of an engine that have logins. Null when it does not answer. */
export async function readLoginTargets({ url, token }: ControlTarget): Promise<readonly LoginTarget[] | null> {
  const headers = { [CONTROL_TOKEN_HEADER]: token };
  const answer = await askEngine({ url: url + CONTROL_PATHS.logins, headers, timeoutMs: TIMEOUT_MS });
  // An engine of an earlier release has none.
  if (answer.kind === "answered" && answer.status === 404) return [];
  const read = answer.kind === "answered" ? z.safeParse(loginTargets, answer.body) : null;
  return read?.success === true ? read.data.servers : null;
}

/** Tells an engine how a login ended. False when it does not answer. */
export async function tellLogin(
  { url, token }: ControlTarget,
  body: { readonly server: string; readonly outcome: LoginOutcome },
): Promise<boolean> {
  const headers = { [CONTROL_TOKEN_HEADER]: token };
  const call = { url: url + CONTROL_PATHS.logins, method: "POST", headers, body, timeoutMs: TIMEOUT_MS } as const;
  const answer = await askEngine(call);
  return answer.kind === "answered" && (answer.status === 200 || answer.status === 404);
}
