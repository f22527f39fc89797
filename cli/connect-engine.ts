import { type EngineClient, createEngineClient } from "../src/client/engine-client.ts";
import type { EngineState } from "../src/contract/orchestrator-records.ts";
import { toCliFailure } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";
import { promptSecret } from "./secret-input.ts";
import type { Session } from "./session.ts";

/** States that `engines start` leaves; the other ones are transient. */
const STARTABLE: readonly EngineState[] = ["stopped", "failed", "stop_failed"];

/** The client of a user's engine. Its key comes from the environment, the stored credentials or a prompt. */
export async function connectEngine({ client, credentials, settings }: Session, user: string): Promise<EngineClient> {
  const record = await client.platform((orchestrator) => orchestrator.get(user), { user });
  if (!record.running) {
    const advice = STARTABLE.includes(record.state)
      ? `orchctl engines start ${safe(user)} starts it`
      : `orchctl engines wait ${safe(user)} waits until it runs`;
    throw new CliFailure("conflict", `the engine is ${record.state}; ${advice}`);
  }
  const stored = settings.engineKey ?? (await credentials.engineKey(record.id));
  const key = stored ?? (await promptSecret(`Engine key of ${safe(user)}: `));
  if (key !== null) return createClient(record.url, key);
  const advice = `orchctl engines rotate-key ${safe(user)} creates a new one`;
  throw new CliFailure("denied", `no key of this engine is stored: set ORCH_ENGINE_KEY, or ${advice}`);
}

/** Without a retry of `TASK_BUSY`: a person sees at once that another turn is running. */
function createClient(url: string, key: string): EngineClient {
  try {
    return createEngineClient({ url, key, limits: { retryBusy: false } });
  } catch (error) {
    throw toCliFailure(error);
  }
}

/** Calls a user's engine. Its errors become {@link CliFailure}s. */
export async function withEngine<Result>(
  session: Session,
  user: string,
  call: (engine: EngineClient) => Promise<Result>,
): Promise<Result> {
  const engine = await connectEngine(session, user);
  try {
    return await call(engine);
  } catch (error) {
    throw toCliFailure(error, { user, url: engine.url });
  }
}
