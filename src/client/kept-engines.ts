import { type EngineClient, createEngineClient } from "./engine-client.ts";
import type { ConnectionOptions } from "./http-call.ts";
import { fetchWithKey } from "./key-fetch.ts";
import type { KeyStore } from "./key-store.ts";
import { OrchdError } from "./orchd-error.ts";
import type { OrchestratorClient, ProvisionOptions } from "./orchestrator-client.ts";

/** What of a product's client it calls. */
type Orchestrator = Pick<OrchestratorClient, "admit" | "rotateKey">;

/** `fetch` and `limits` are those of the engines' clients. */
export interface EnginesOptions extends Pick<ConnectionOptions, "fetch" | "limits"> {
  readonly orchestrator: Orchestrator;
  readonly keys: KeyStore;
}

export type OpenOptions = Omit<ProvisionOptions, "userId" | "idempotencyKey" | "start">;

interface Admitted {
  readonly userId: string;
  readonly engineId: string;
  readonly url: string;
}

/**
 * Programs that replace a lost key of the same engine at the same moment do not refuse each other's calls for so long, until
 * all of them have read the stored one.
 */
const GRACE_S = 60;

/** The engines of a product's users, whose keys it keeps: stored when they are made, replaced when they are lost or refused. */
export function createEngines({ orchestrator, keys, fetch, limits }: EnginesOptions) {
  const send: typeof globalThis.fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  const opening = new Map<string, Promise<{ readonly admitted: Admitted; readonly key: string }>>();
  const renewing = new Map<string, Promise<string>>();

  const replace = async ({ userId, engineId }: Admitted, graceS: number): Promise<string> => {
    const { engine_api_key: key } = await orchestrator.rotateKey(userId, { graceS });
    if (key === null)
      throw new OrchdError({ code: "BAD_ANSWER", message: "the engine's new key is not in the answer" });
    await keys.write(engineId, key);
    return key;
  };

  const admit = async (userId: string, given: OpenOptions) => {
    const { id: engineId, url, engine_api_key: made } = await orchestrator.admit({ ...given, userId });
    const admitted = { userId, engineId, url };
    if (made !== null) await keys.write(engineId, made);
    const key = made ?? (await keys.read(engineId)) ?? (await replace(admitted, GRACE_S));
    return { admitted, key };
  };

  /** Another program may have replaced it, and stored the new one. */
  const renew = async (admitted: Admitted, refused: string): Promise<string> => {
    const stored = await keys.read(admitted.engineId);
    return typeof stored === "string" && stored !== refused ? stored : replace(admitted, GRACE_S);
  };

  const clientOf = (admitted: Admitted, key: string): EngineClient => {
    const { engineId, url } = admitted;
    const renewed = (refused: string) => shared(renewing, engineId, () => renew(admitted, refused));
    return createEngineClient({ url, key, limits, fetch: fetchWithKey(key, send, renewed) });
  };

  return {
    /** The client of a user's engine, which is created if there is none, and started if it is stopped. */
    async open(userId: string, given: OpenOptions = {}): Promise<EngineClient> {
      const { admitted, key } = await shared(opening, userId, () => admit(userId, given));
      return clientOf(admitted, key);
    },

    /** Replaces the key of a user's engine, and stores the new one. The old one works for `graceS` more seconds: 60. */
    async rotateKey(userId: string, { graceS = GRACE_S }: { readonly graceS?: number } = {}): Promise<void> {
      const { admitted } = await shared(opening, userId, () => admit(userId, {}));
      await shared(renewing, admitted.engineId, () => replace(admitted, graceS));
    },
  };
}

/** Calls at the same moment share one, so that they agree on the key. */
function shared<T>(running: Map<string, Promise<T>>, of: string, start: () => Promise<T>): Promise<T> {
  const known = running.get(of);
  if (known !== undefined) return known;
  const made = start().finally(() => running.delete(of));
  running.set(of, made);
  return made;
}
