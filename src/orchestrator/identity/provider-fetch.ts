import type { CustomFetch } from "openid-client";
import { providerUrlProblem } from "./oidc-settings.ts";
import { outsideFetch } from "./outside-fetch.ts";

/**
 * Calls the identity provider. The operator names it, so its addresses may be private; the addresses in its own document
 * may too.
 */
export const providerFetch = (timeoutMs: number): CustomFetch =>
  outsideFetch({ timeoutMs, problem: providerUrlProblem, privateHosts: (url) => [new URL(url).hostname] });
