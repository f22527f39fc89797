import { hkdfSync } from "node:crypto";
import type { ProviderName } from "../settings/model-name.ts";
import { openKey, sealKey } from "./sealed-key.ts";

/** The providers that are called over the network. */
export type CalledProvider = Exclude<ProviderName, "sandbox">;

/** Where a call of an engine goes, and with which key. */
export interface ModelRoute {
  readonly engine: string;
  readonly incarnation: string;
  readonly provider: CalledProvider;
  /** Null for a server without keys. */
  readonly apiKey: string | null;
  /** Null for the provider's own address. */
  readonly baseUrl: string | null;
  /** Only for `bedrock`. */
  readonly region: string | null;
  /** Of all engines with this key. Keys of earlier releases have none. */
  readonly requestsPerMinute?: number | null;
}

const KNOWLEDGE = "knowledge of ";

/** Whom a call for a product's documents is of: the daemon makes it, and no engine. */
export const knowledgeCaller = (productId: string): Pick<ModelRoute, "engine" | "incarnation"> => ({
  engine: KNOWLEDGE + productId,
  incarnation: "daemon",
});

/** The product of such a caller. Null for an engine. */
export const productOfCaller = (engine: string): string | null =>
  engine.startsWith(KNOWLEDGE) ? engine.slice(KNOWLEDGE.length) : null;

/** Engines of earlier releases have keys without a purpose. */
const CALL_KEY = { prefix: "orchm_", purpose: "" };

/** The key that seals routes, from a secret of the deployment. The broker has no other part of that secret. */
export const sealingKeyOf = (secret: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", "orchd broker", 32));

/**
 * The key with which an engine calls the broker: its route, sealed. So the broker stores nothing, and a
 * broker that was restarted knows every engine.
 */
export const sealCallKey = (sealingKey: Uint8Array, route: ModelRoute): string => sealKey(CALL_KEY, sealingKey, route);

/** Null for a key that was not sealed with this sealing key, or was altered. */
export const openCallKey = (sealingKey: Uint8Array, key: string): ModelRoute | null =>
  openKey(CALL_KEY, sealingKey, key) as ModelRoute | null;

/** Whether a key is one with which an engine calls the broker, and not a provider's. */
export const isCallKey = (key: string | undefined): boolean => key?.startsWith(CALL_KEY.prefix) === true;
