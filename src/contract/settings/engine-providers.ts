import { EnvironmentReader } from "../../shared/environment.ts";
import { providerOf } from "./engine-settings.ts";
import type { ProviderName } from "./model-name.ts";
import { type Upstream, readUpstreams } from "./upstreams.ts";

/** The providers that an engine with these settings can call. */
export function engineProviders(settings: Readonly<Record<string, string>>): ReadonlyMap<ProviderName, Upstream> {
  const read = new EnvironmentReader(settings);
  const own = providerOf(read);
  const upstream = {
    apiKey: read.text("LLM_API_KEY"),
    baseUrl: read.text("LLM_BASE_URL"),
    region: read.text("LLM_REGION"),
  };
  return new Map([[own, upstream], ...readUpstreams(read, own)]);
}
