/** The engines of the product's users. */
import { createEngines, createOrchestratorClient } from "@orchd/client";
import { fileKeys } from "@orchd/client/file-keys";

const {
  PLATFORM_KEY: platformKey = "",
  ORCH_URL: url = "http://127.0.0.1:7700",
  KEYS_FILE: keysFile = "engine-keys.json",
} = process.env;

const orchestrator = createOrchestratorClient({ url, platformKey });

/** A product with several programs keeps the keys in its database, by the same two functions. */
const keys = fileKeys(keysFile);

/** A person waits: a busy task is an error now, not a reason to retry. */
export const engines = createEngines({ orchestrator, keys, limits: { retryBusy: false } });
