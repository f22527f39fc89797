import * as z from "zod/mini";
import { IDENTITY_PATH } from "../../contract/broker/identity-call.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { brokerFetch } from "../model/broker-fetch.ts";
import { ToolFailed } from "../tools/tool.ts";
import type { IdentitySource } from "../tools/web/identity-source.ts";

/** The broker waits for a daemon that restarts. */
const TIMEOUT_MS = 20_000;
const answer = z.object({ token: z.optional(z.string()), error: z.optional(z.string()) });

/** Identity tokens, by the broker. Each call gets one of its own. */
export function openIdentity({ broker }: Pick<EngineLaunch, "broker">): IdentitySource {
  const send = brokerFetch((input, init) => globalThis.fetch(input, init));
  return async ({ audience, agent, signal }) => {
    if (broker === undefined)
      throw new ToolFailed(
        "this host issues no identity tokens; its operator must set ORCH_PUBLIC_URL and run a broker",
      );
    const response = await send(broker.url + IDENTITY_PATH, {
      method: "POST",
      headers: { authorization: `Bearer ${broker.key}`, "content-type": "application/json" },
      body: JSON.stringify({ audience, agent }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ToolFailed("no identity token: the broker does not answer", { cause: error });
    });
    const { data = {} } = z.safeParse(answer, await response.json().catch(() => null));
    if (data.token === undefined)
      throw new ToolFailed(`no identity token: ${data.error ?? `status ${response.status}`}`);
    return data.token;
  };
}
