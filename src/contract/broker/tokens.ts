import { createHash } from "node:crypto";

/** What the daemon shows to the broker, as `X-Control-Token`. */
export const controlTokenOf = (sealingKey: Uint8Array): string => derived("control", sealingKey);

/** What the broker shows to the daemon, as `X-Broker-Token`. */
export const questionTokenOf = (sealingKey: Uint8Array): string => derived("questions", sealingKey);

/** Both have the sealing key, so that neither has to tell the other a token. */
const derived = (purpose: string, sealingKey: Uint8Array): string =>
  createHash("sha256").update(`${purpose}\n`).update(sealingKey).digest("base64url");
