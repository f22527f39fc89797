import type { EngineState } from "../src/client/records.ts";
import { type EngineClient, createEngineClient } from "../src/client/engine-client.ts";
import { type EngineContext, toCliFailure } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { nodeFetch } from "./node-fetch.ts";
import { safe } from "./output.ts";
import { assertPaired } from "./pair-host.ts";
import { withProgress } from "./progress.ts";
import { promptSecret } from "./secret-input.ts";
import type { Session } from "./session.ts";

/** States that `engines start` leaves; the other ones are transient. */
const STARTABLE: readonly EngineState[] = ["stopped", "failed", "stop_failed"];

interface ConnectedEngine {
  readonly engine: EngineClient;
  readonly context: EngineContext;
}

/** The client of a user's engine. Its key comes from the environment, the stored credentials or a prompt. */
export async function connectEngine(
  { client, credentials, settings }: Session,
  user: string,
): Promise<ConnectedEngine> {
  const record = await client.platform((orchestrator) => orchestrator.get(user), { user });
  // A call wakes a sleeping engine.
  if (!record.running && record.state !== "sleeping") {
    const advice = STARTABLE.includes(record.state)
      ? `orchctl engines start ${safe(user)} starts it`
      : `orchctl engines wait ${safe(user)} waits until it runs`;
    throw new CliFailure("conflict", `the engine is ${record.state}; ${advice}`);
  }
  const { engineKey: given } = settings;
  if (given === undefined) await assertPaired(credentials, settings.url);
  const stored = await credentials.engineKey(record.id).catch((error: unknown) => {
    if (given === undefined) throw error;
    return null;
  });
  const key = given ?? stored ?? (await promptSecret(`Engine key of ${safe(user)}: `));
  if (key !== null) {
    const engine = createClient(record.url, key);
    const source = given === undefined ? "stored" : stored === null ? "given" : "over-stored";
    return { engine, context: { user, product: await client.product(), url: engine.url, key: source } };
  }
  const advice = `orchctl engines rotate-key ${safe(user)} creates a new one`;
  throw new CliFailure("denied", `no key of this engine is stored: set ORCH_ENGINE_KEY, or ${advice}`);
}

/** Does not retry `TASK_BUSY`, so that a person sees at once that another turn is running. */
function createClient(url: string, key: string): EngineClient {
  try {
    return createEngineClient({ url, key, fetch: nodeFetch, limits: { retryBusy: false } });
  } catch (error) {
    throw toCliFailure(error);
  }
}

/** Calls a user's engine. Its errors become {@link CliFailure}s. `doing`: the progress text; null for a stream. */
export async function withEngine<Result>(
  session: Session,
  user: string,
  call: (engine: EngineClient, context: EngineContext) => Promise<Result>,
  doing: string | null = `waiting for the engine of ${user}`,
): Promise<Result> {
  const { engine, context } = await connectEngine(session, user);
  try {
    return await (doing === null ? call(engine, context) : withProgress(doing, () => call(engine, context)));
  } catch (error) {
    throw toCliFailure(error, context);
  }
}
