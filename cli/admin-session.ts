import { createConsoleClient } from "../src/client/console-client.ts";
import { type EngineClient, createEngineClient } from "../src/client/engine-client.ts";
import type { ConnectionOptions } from "../src/client/http-call.ts";
import { type OrchestratorClient, createOrchestratorClient } from "../src/client/orchestrator-client.ts";
import { nodeFetch } from "./node-fetch.ts";

/** A session as the console's, which the admin key opens for one command. The audit log has what it changes. */
export interface AdminSession extends AsyncDisposable {
  product(slug: string): OrchestratorClient;
  engine(engineId: string): EngineClient;
}

export async function openAdminSession({
  url,
  adminKey,
  limits,
}: Pick<ConnectionOptions, "url" | "limits"> & { readonly adminKey: string }): Promise<AdminSession> {
  const daemon = url.replace(/\/+$/, "");
  const fetch = fetchWithCookie(daemon);
  const shared = { fetch, session: true, limits } as const;
  const session = createConsoleClient({ url: daemon, fetch });
  await session.signIn({ adminKey });
  return {
    product: (slug) => createOrchestratorClient({ ...shared, url: daemon, product: slug, exactPaths: true }),
    engine: (engineId) => createEngineClient({ ...shared, url: `${daemon}/e/${encodeURIComponent(engineId)}` }),
    async [Symbol.asyncDispose]() {
      // Best effort: it ends by itself an hour after its last call.
      await session.signOut().catch(() => undefined);
    },
  };
}

/** Sends the cookie that the sign-in has set, as a page of the daemon does. */
function fetchWithCookie(daemon: string): typeof fetch {
  const { origin } = new URL(daemon);
  let cookie: string | undefined;
  return async (input, init) => {
    const headers = { ...(init?.headers as Record<string, string>), origin, ...(cookie !== undefined && { cookie }) };
    const response = await nodeFetch(input, { ...init, headers });
    cookie ??= response.headers.get("set-cookie")?.split(";")[0];
    return response;
  };
}
