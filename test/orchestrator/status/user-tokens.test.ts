import type { KyselyPlugin } from "kysely";
import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { newId } from "../../../src/shared/ids.ts";
import type { AdmittedPrincipal } from "../../../src/orchestrator/status/principal.ts";
import { UserTokens } from "../../../src/orchestrator/status/user-tokens.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { ProductDirectory } from "../../../src/orchestrator/store/product-directory.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { raiseTokenEpoch } from "../../../src/orchestrator/store/token-holders.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, range } from "../../helpers/records.ts";
import { until } from "../../helpers/until.ts";

const never = (): never => {
  throw new Error("the call was ended");
};

async function openTokens(db: Db, directory: ProductDirectory) {
  await preparePorts(db, range);
  const { id: productId } = await insertedProduct(db);
  const engine = await insertedEngine(db, productId, "alice");
  if (engine === null) throw new Error("there is no port");
  const tokens = new UserTokens({ db, box: new SealedBox("secret"), directory, now: Date.now });
  const mint = async (epoch: number) => {
    const words = { id: newId("tok"), scope: "turns", tasks: undefined, expiresAt: Date.now() + 60_000 };
    const token = await tokens.sign({ engineId: engine.id, epoch }, words);
    return { token, principal: (await tokens.verify(token)) as AdmittedPrincipal };
  };
  const revoke = () => db.transaction().execute((trx) => raiseTokenEpoch(trx, engine.id));
  return { tokens, engine, mint, revoke };
}

onEachServer(t, "attack: a token revoked between its check and its stream", async (t, { db, newClient }) => {
  const directory = new ProductDirectory(db);
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  await directory.listen(newClient, createLogger("test", "silent"), stop.signal);
  const { tokens, mint, revoke } = await openTokens(db, directory);
  const { token, principal } = await mint(0);
  t.match(principal, { userId: "alice", tasks: null });
  await revoke();
  await until("the daemon has heard of it", async () => (await tokens.verify(token)) === null);
  let ended = 0;
  tokens.watch(token, principal, () => ended++);
  await until("the stream is cut", () => ended === 1);
});

onEachServer(t, "attack: a revocation while the database cannot tell", async (t, { db, newClient }) => {
  const directory = new ProductDirectory(db);
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  await directory.listen(newClient, createLogger("test", "silent"), stop.signal);
  let isDown = false;
  let failures = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (!isDown) return node;
      failures++;
      throw new Error("the database is down");
    },
    transformResult: async ({ result }) => result,
  };
  const { tokens, mint, engine } = await openTokens(db.withPlugin(plugin), directory);
  const { token, principal } = await mint(0);
  let ended = 0;
  const forget = tokens.watch(token, principal, () => ended++);
  t.teardown(forget);
  isDown = true;
  await db.transaction().execute((trx) => raiseTokenEpoch(trx, engine.id));
  await until("the check has failed", () => failures > 0);
  t.equal(ended, 0, "an error of the database ends no stream");
  isDown = false;
  await until("the stream is cut", () => ended === 1);
});

onEachServer(t, "a stream that ends twice leaves later ones of its user watched", async (t, { db, newClient }) => {
  const directory = new ProductDirectory(db);
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  await directory.listen(newClient, createLogger("test", "silent"), stop.signal);
  const { tokens, mint, revoke } = await openTokens(db, directory);
  const { token, principal } = await mint(0);
  const forget = tokens.watch(token, principal, never);
  forget();
  let ended = 0;
  tokens.watch(token, principal, () => ended++);
  // A connection says that it is closed after its end was asked for.
  forget();
  await revoke();
  await until("the later one is cut", () => ended === 1);
});

onEachServer(
  t,
  "without notifications every call asks the database, and a revoked token is none",
  async (t, { db }) => {
    const { tokens, mint, revoke } = await openTokens(db, new ProductDirectory(db));
    const { token } = await mint(0);
    t.not(await tokens.verify(token), null);
    await revoke();
    t.equal(await tokens.verify(token), null);
    t.equal((await mint(0)).principal, null, "a token of the epoch before");
    t.match((await mint(1)).principal, { userId: "alice" });
  },
);
