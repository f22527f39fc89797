import { type EngineClient, createEngineClient } from "../src/client/engine-client.ts";
import type { EngineRecord, EngineState } from "../src/contract/orchestrator-api.ts";
import { cliFailure } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { enginePath } from "./http.ts";
import { safe } from "./output.ts";
import { promptSecret } from "./secret-input.ts";
import type { Session } from "./session.ts";

/** Where a start helps; the other states pass by themselves. */
const STARTABLE: readonly EngineState[] = ["stopped", "failed", "stop_failed"];

/** A user's engine, with the key that is given, kept, or typed. */
export async function engineOf({ client, credentials, settings }: Session, user: string): Promise<EngineClient> {
  const record = await client.platform<EngineRecord>(enginePath(user));
  if (!record.running) {
    const way = STARTABLE.includes(record.state)
      ? `orchctl engines start ${safe(user)} starts it`
      : `orchctl engines wait ${safe(user)} waits until it runs`;
    throw new CliFailure("conflict", `the engine is ${record.state}; ${way}`);
  }
  const kept = settings.engineKey ?? (await credentials.engineKey(record.id));
  const key = kept ?? (await promptSecret(`Engine key of ${safe(user)}: `));
  if (key !== null) return connect(record.url, key);
  const way = `orchctl engines rotate-key ${safe(user)} makes a new one`;
  throw new CliFailure("denied", `no key of this engine is kept: set ORCH_ENGINE_KEY, or ${way}`);
}

/** A person is told at once that another turn is running, and need not wait for it. */
function connect(url: string, key: string): EngineClient {
  try {
    return createEngineClient({ url, key, limits: { retryBusy: false } });
  } catch (error) {
    throw cliFailure(error);
  }
}

/** Calls a user's engine; what it refuses is told as the command line tells its failures. */
export async function withEngine<Answer>(
  session: Session,
  user: string,
  call: (engine: EngineClient) => Promise<Answer>,
): Promise<Answer> {
  const engine = await engineOf(session, user);
  try {
    return await call(engine);
  } catch (error) {
    throw cliFailure(error, { user, url: engine.url });
  }
}
