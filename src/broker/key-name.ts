import { createHash } from "node:crypto";
import type { ModelRoute } from "../contract/broker/call-key.ts";

const names = new WeakMap<ModelRoute, string>();

/** Names a provider's key, whichever engine calls with it. */
export function keyNameOf(route: ModelRoute): string {
  const known = names.get(route);
  if (known !== undefined) return known;
  const { provider, apiKey, baseUrl, region } = route;
  const name = createHash("sha256")
    .update(JSON.stringify([provider, apiKey, baseUrl, region]))
    .digest("base64url");
  names.set(route, name);
  return name;
}
