import { aiSdkProvider } from "../../../../src/engine/model/ai-sdk-provider.ts";
import type { ModelProvider, ModelRequest } from "../../../../src/engine/model/model-provider.ts";
import { importFamily } from "../../../../src/engine/model/create-provider.ts";
import type { Remote } from "../wire-formats.ts";
import type { Json } from "./strict-checks.ts";

const BASE_URL = "http://127.0.0.1:9/v1";
const providers = new Map<Remote, { readonly provider: ModelProvider; readonly sent: string[] }>();

/** The body that the provider's own package makes of a request, as it would go over the wire. */
export async function sentBody(remote: Remote, request: ModelRequest): Promise<Json> {
  const { provider, sent } = providers.get(remote) ?? open(remote);
  let last: unknown;
  for await (const part of provider.stream(request, new AbortController().signal)) last = part;
  const text = sent.pop();
  if (text === undefined) throw new Error(`nothing was sent: ${JSON.stringify(last)}`);
  return JSON.parse(text);
}

function open(remote: Remote) {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = (_url, init) => {
    sent.push(String(init?.body));
    return Promise.resolve(new Response("{}", { status: 503 }));
  };
  const load = async () => (await importFamily(remote)).openFamily({ apiKey: "key", baseUrl: BASE_URL, fetch });
  const opened = { provider: aiSdkProvider({ name: remote, load }), sent };
  providers.set(remote, opened);
  return opened;
}
