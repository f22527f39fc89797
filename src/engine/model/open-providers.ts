import type { EngineConfig } from "../../contract/settings/engine-settings.ts";
import { type NamedModel, readModelName } from "../../contract/settings/model-name.ts";
import { missingOf, settingsOf } from "../../contract/settings/upstreams.ts";
import { type EngineProvider, type ProviderParts, createProvider } from "./create-provider.ts";
import type { ModelPart, ModelProvider } from "./model-provider.ts";
import { createModelStatus } from "./model-status.ts";

/**
 * All models of an engine. A call goes to the provider that its model's name says, without one to `LLM_PROVIDER`. Another
 * provider is opened at its first call, so that an engine without one neither loads nor holds its package.
 */
export function openProviders(config: EngineConfig, parts: ProviderParts): EngineProvider {
  const status = createModelStatus(parts.logger);
  const own = createProvider(config, { ...parts, status });
  const others = new Map<NamedModel["provider"], ModelProvider>();
  const openOther = (provider: NamedModel["provider"]): ModelProvider => {
    const upstream = config.upstreams.get(provider);
    if (upstream === undefined) return withoutSettings(provider);
    const { deadlines, cacheHitMonitor } = config;
    const settings = settingsOf(provider);
    return createProvider({ provider, ...upstream, deadlines, cacheHitMonitor, settings }, { ...parts, status });
  };
  return {
    ...own,
    stream(request, signal) {
      const { provider, model } = readModelName(request.model, config.provider);
      if (provider === config.provider)
        return own.stream(model === request.model ? request : { ...request, model }, signal);
      const other = others.get(provider) ?? openOther(provider);
      others.set(provider, other);
      return other.stream({ ...request, model }, signal);
    },
    health: () => (others.size === 0 ? own : status).health(),
  };
}

/** For a turn of an earlier process, which had the settings. Calls are checked before their turn starts. */
const withoutSettings = (provider: NamedModel["provider"]): ModelProvider => ({
  name: provider,
  async *stream(): AsyncGenerator<ModelPart> {
    const missing = missingOf(provider, {});
    const message = `the model needs the setting ${missing}`;
    yield { kind: "failed", failure: { kind: "permanent", message, status: null }, usage: null };
  },
});
