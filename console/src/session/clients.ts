import {
  type AdminClient,
  type EngineClient,
  type OrchestratorClient,
  createAdminClient,
  createEngineClient,
  createOrchestratorClient,
} from "@orchd/client";
import { BASE_URL } from "../routing/base-url.ts";
import { endSession } from "./session.ts";

/** A response that ends the session shows the sign-in page, whichever view made the call. */
const sessionFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) endSession("Your session has ended. Sign in again to continue.");
  return response;
};

/** The console reports a lost connection itself, so calls do not wait long for the daemon. */
const limits = { retries: 2, longestWaitMs: 5000 };
const shared = { session: true, fetch: sessionFetch, limits } as const;

export const admin: AdminClient = createAdminClient({ ...shared, url: BASE_URL });

/** The calls of a product, by its id or slug. */
export const productCalls = (product: string): OrchestratorClient =>
  createOrchestratorClient({ ...shared, url: BASE_URL, product });

/** The calls of an engine, through the daemon. */
export const engineCalls = (engineId: string): EngineClient =>
  createEngineClient({ ...shared, url: `${BASE_URL}e/${encodeURIComponent(engineId)}` });
