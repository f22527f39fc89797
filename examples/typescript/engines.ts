/** The engines of the product's users, and their keys. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createOrchestratorClient } from "@orchd/client";

const {
  PLATFORM_KEY: platformKey = "",
  ORCH_URL: url = "http://127.0.0.1:7700",
  KEYS_FILE: keysFile = "engine-keys.json",
} = process.env;

const orchestrator = createOrchestratorClient({ url, platformKey });

/** Engine id to engine key. A product keeps these in its database. */
const keys: Record<string, string> = existsSync(keysFile) ? JSON.parse(readFileSync(keysFile, "utf8")) : {};

function storeKey(engineId: string, key: string | undefined): void {
  if (key === undefined) delete keys[engineId];
  else keys[engineId] = key;
  writeFileSync(`${keysFile}.new`, JSON.stringify(keys), { mode: 0o600 });
  renameSync(`${keysFile}.new`, keysFile);
}

/** A user's engine, and the key with which it is called. */
export interface Admitted {
  readonly engineId: string;
  readonly url: string;
  readonly key: string;
}

/** Calls at the same moment share one `admit`, so that they agree on the key. */
const admissions = new Map<string, Promise<Admitted>>();

/** Creates the user's engine, or starts it when it is stopped. */
export function admitted(user: string): Promise<Admitted> {
  const admission = admissions.get(user) ?? admit(user).finally(() => admissions.delete(user));
  admissions.set(user, admission);
  return admission;
}

async function admit(user: string): Promise<Admitted> {
  const { id: engineId, url, engine_api_key: created } = await orchestrator.admit({ userId: user });
  // A key is returned once. When it was lost, a new one replaces it.
  const key = created ?? keys[engineId] ?? (await orchestrator.rotateKey(user)).engine_api_key;
  if (key === null) throw new Error("the engine has no key");
  if (keys[engineId] !== key) storeKey(engineId, key);
  return { engineId, url, key };
}

/** Drops a key that the engine refused, because somebody else replaced it. The next call gets a new one. */
export function dropKey({ engineId, key }: Admitted): void {
  // Another call may have stored the new key already.
  if (keys[engineId] === key) storeKey(engineId, undefined);
}
