import { SCOPES } from "../src/contract/engine/scopes.ts";
import type { EngineRecord, EngineState } from "../src/client/records.ts";
import { type EngineClient, createEngineClient, engineCalls } from "../src/client/engine-client.ts";
import { serviceOf } from "../src/client/http-call.ts";
import { DEFAULT_LIMITS } from "../src/client/limits.ts";
import { fetchWithToken } from "../src/client/token-fetch.ts";
import { openAdminSession } from "./admin-session.ts";
import { type EngineContext, toCliFailure } from "./client-failure.ts";
import { CliFailure } from "./exit-codes.ts";
import { knownAdminKey } from "./keys.ts";
import { nodeFetch } from "./node-fetch.ts";
import { safe } from "./output.ts";
import { assertPaired } from "./pair-host.ts";
import { withProgress } from "./progress.ts";
import type { Session } from "./session.ts";

/** `TASK_BUSY` is not retried, so that a person sees at once that another turn is running. */
const LIMITS = { retryBusy: false };
/** States that `engines start` leaves; the other ones are transient. */
const STARTABLE: readonly EngineState[] = ["stopped", "failed", "stop_failed"];

interface ConnectedEngine extends AsyncDisposable {
  readonly engine: EngineClient;
  readonly context: EngineContext;
}

/** An engine's client, and what authenticates its calls. */
type Access = Pick<EngineContext, "key"> & { readonly engine: EngineClient };

/**
 * The client of a user's engine. Its key comes from the environment or the stored credentials. Without one an operator
 * calls by a session of the admin key, and a product by a token of the user.
 */
export async function connectEngine(session: Session, user: string): Promise<ConnectedEngine> {
  await using opened = new AsyncDisposableStack();
  const record = await session.client.platform((orchestrator) => orchestrator.get(user), { user });
  assertCallable(record, user);
  const { engine, key } =
    (await accessByKey(session, record)) ??
    (await accessBySession(session, { record, opened })) ??
    (await accessByToken(session, user));
  const context = { user, product: await session.client.product(), url: engine.url, key };
  const closing = opened.move();
  return { engine, context, [Symbol.asyncDispose]: async () => closing.disposeAsync() };
}

function assertCallable({ running, state }: EngineRecord, user: string): void {
  // A call wakes a sleeping engine.
  if (running || state === "sleeping") return;
  const advice = STARTABLE.includes(state)
    ? `orchctl engines start ${safe(user)} starts it`
    : `orchctl engines wait ${safe(user)} waits until it runs`;
  throw new CliFailure("conflict", `the engine is ${state}; ${advice}`);
}

async function accessByKey(
  { credentials, settings }: Session,
  { id, url, api_key }: EngineRecord,
): Promise<Access | null> {
  const { engineKey: given } = settings;
  if (given === undefined) await assertPaired(credentials, settings.url);
  const kept = await credentials.engineKey(id).catch((error: unknown) => {
    if (given === undefined) throw error;
    return null;
  });
  // A backend that does not know the key has replaced it.
  const stored = kept?.endsWith(api_key.last4) === true ? kept : null;
  const key = given ?? stored;
  if (key === null) return null;
  try {
    const engine = createEngineClient({ url, key, fetch: nodeFetch, limits: LIMITS });
    return { engine, key: given === undefined ? "stored" : stored === null ? "given" : "over-stored" };
  } catch (error) {
    throw toCliFailure(error);
  }
}

/** By a session of an admin; null without the admin key. */
async function accessBySession(
  { settings, credentials }: Session,
  { record, opened }: { readonly record: EngineRecord; readonly opened: AsyncDisposableStack },
): Promise<Access | null> {
  const adminKey = await knownAdminKey(settings, credentials);
  if (adminKey === null) return null;
  const { url } = settings;
  try {
    const session = opened.use(await openAdminSession({ url, adminKey, limits: LIMITS }));
    return { engine: session.engine(record.id), key: "session" };
  } catch (error) {
    throw toCliFailure(error, { url });
  }
}

/** By a token of the user, as the product gives it to a browser. */
async function accessByToken({ client, settings }: Session, user: string): Promise<Access> {
  const scope = Object.keys(SCOPES).join(" ");
  const create = async () =>
    (await client.platform((orchestrator) => orchestrator.createToken(user, { scope }), { user, doing: null })).token;
  // The first one is asked for here, so that a refusal is reported as it is. Later ones replace it when it has ended.
  let next: string | null = await create();
  const getToken = async () => {
    const token = next ?? (await create());
    next = null;
    return token;
  };
  const fetch = fetchWithToken({ getToken }, nodeFetch);
  const connection = { url: `${settings.url.replace(/\/+$/, "")}/me`, fetch, limits: LIMITS };
  return { engine: engineCalls(serviceOf(connection, {}, DEFAULT_LIMITS)), key: "token" };
}

/** Calls a user's engine. Its errors become {@link CliFailure}s. `doing`: the progress text; null for a stream. */
export async function withEngine<Result>(
  session: Session,
  user: string,
  call: (engine: EngineClient, context: EngineContext) => Promise<Result>,
  doing: string | null = `waiting for the engine of ${user}`,
): Promise<Result> {
  await using connected = await connectEngine(session, user);
  const { engine, context } = connected;
  try {
    return await (doing === null ? call(engine, context) : withProgress(doing, () => call(engine, context)));
  } catch (error) {
    throw toCliFailure(error, context);
  }
}
