import type { HostContext } from "../host-context.ts";
import { type OutsideFetch, outsideFetch } from "../identity/outside-fetch.ts";
import { outsideUrlProblem } from "../../shared/outside-addresses.ts";
import type { Product } from "../store/products.ts";

/** Longer, and a person who waits for a page would think that it hangs. Below the longest idle time of a transaction. */
export const CALL_MS = 5000;

/** What browsers and authorization servers call of this deployment. */
export function loginAddresses({ settings: { publicUrl, port } }: Pick<HostContext, "settings">) {
  const base = `${publicUrl ?? `http://127.0.0.1:${port}`}/oauth`;
  return {
    callbackUrl: `${base}/callback`,
    documentUrl: `${base}/client.json`,
    linkOf: (token: string) => `${base}/start?login=${token}`,
  };
}

interface LoginCalls {
  readonly fetch: OutsideFetch;
  readonly urlProblem: (url: string) => string | null;
}

/** Calls of authorization servers and tool servers that a product's catalog names. */
export const loginCalls = ({ record: { policy } }: Pick<Product, "record">): LoginCalls =>
  callsWithin(policy.private_hosts);

/** The same, where these private hosts may be called. They end with `signal`. */
export function callsWithin(hosts: readonly string[], signal?: AbortSignal): LoginCalls {
  const urlProblem = (url: string) => outsideUrlProblem(url, hosts);
  const fetch = outsideFetch({ timeoutMs: CALL_MS, problem: urlProblem, privateHosts: () => hosts });
  if (signal === undefined) return { urlProblem, fetch };
  return { urlProblem, fetch: (url, options) => fetch(url, { ...options, signal }) };
}
