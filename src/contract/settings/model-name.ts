import { PROVIDERS } from "./agent-settings.ts";

export type ProviderName = (typeof PROVIDERS)[number];

/** A model and its provider. */
export interface NamedModel {
  readonly provider: ProviderName;
  readonly model: string;
}

/**
 * Reads `provider:model`. A name without a provider is of `own`, the engine's `LLM_PROVIDER`. Not `provider/model`:
 * models of routers and model servers have such names themselves, and none begins with the name of a provider and a colon.
 */
export function readModelName(name: string, own: ProviderName): NamedModel {
  const provider = PROVIDERS.find((one) => name.startsWith(`${one}:`));
  return provider === undefined ? { provider: own, model: name } : { provider, model: name.slice(provider.length + 1) };
}

/** The one name of a model in an engine: without its provider, if that is the engine's and the rest names no other one. */
export function canonicalName(name: string, own: ProviderName): string {
  const { provider, model } = readModelName(name, own);
  const isPlain = provider === own && !PROVIDERS.some((one) => model.startsWith(`${one}:`));
  return isPlain ? model : `${provider}:${model}`;
}

/** Whether a list of names permits a model. An entry that ends in `*` is a prefix. Null permits every model. */
export function permitsModel(list: readonly string[] | null, name: string, own: ProviderName): boolean {
  const wanted = readModelName(name, own);
  return (
    list === null ||
    list.some((entry) => {
      const { provider, model } = readModelName(entry, own);
      if (provider !== wanted.provider) return false;
      return model.endsWith("*") ? wanted.model.startsWith(model.slice(0, -1)) : model === wanted.model;
    })
  );
}
