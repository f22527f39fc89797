import { openKey, sealKey } from "./sealed-key.ts";

/** A start of an engine. */
export interface EngineStart {
  readonly engine: string;
  readonly incarnation: string;
}

const ENGINE_KEY = { prefix: "orche_", purpose: "engine" };

/** The key with which an engine asks the broker for what is not of a provider, such as an identity token. */
export const sealEngineKey = (sealingKey: Uint8Array, { engine, incarnation }: EngineStart): string =>
  sealKey(ENGINE_KEY, sealingKey, { engine, incarnation });

/** Null for a key that was not sealed with this sealing key, or was altered. */
export const openEngineKey = (sealingKey: Uint8Array, key: string): EngineStart | null =>
  openKey(ENGINE_KEY, sealingKey, key) as EngineStart | null;
