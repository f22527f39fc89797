import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { sql } from "kysely";
import t from "tap";
import type { HostContext } from "../../../src/orchestrator/host-context.ts";
import { rotateIdentityKey } from "../../../src/orchestrator/operations/rotate-identity-key.ts";
import { IdentityTokens, LEAD_S, OVERLAP_S } from "../../../src/orchestrator/status/identity-tokens.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { EventLog } from "../../../src/orchestrator/store/events.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { onEachServer } from "../../helpers/database.ts";

const ISSUER = "https://agents.example.com";
const AUDIENCE = "https://api.example.com";
const box = new SealedBox("secret");
const openTokens = (db: Db) => new IdentityTokens({ db, box, now: Date.now });
const alice = { userId: "alice", product: "acme", engineId: "eng_1", agent: "default", audience: AUDIENCE };

/** As a product verifies. */
const verify = async (token: string, tokens: IdentityTokens) =>
  jwtVerify(token, createLocalJWKSet({ keys: [...(await tokens.published()).keys] }), {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ["ES256"],
    requiredClaims: ["sub", "act", "jti", "exp"],
  });
const kidOf = (token: string): string => decodeProtectedHeader(token).kid ?? "";
/** Lets so many seconds pass for the keys. */
const pass = (db: Db, seconds: number) =>
  sql`update identity_keys set
    signs_from = signs_from - make_interval(secs => ${seconds}),
    replaced_at = replaced_at - make_interval(secs => ${seconds})`.execute(db);

onEachServer(t, "a token names user, product, engine, agent and audience, for five minutes", async (t, { db }) => {
  const tokens = openTokens(db);
  const { payload, protectedHeader } = await verify(await tokens.sign(ISSUER, alice), tokens);
  t.match(payload, { iss: ISSUER, sub: "alice", aud: AUDIENCE, product: "acme" });
  t.same(payload["act"], { engine: "eng_1", agent: "default" });
  t.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300);
  t.match(protectedHeader, { alg: "ES256", typ: "JWT" });
  const again = await verify(await tokens.sign(ISSUER, { ...alice, agent: null }), tokens);
  t.not(again.payload.jti, payload.jti);
  t.same(again.payload["act"], { engine: "eng_1" });
});

onEachServer(t, "daemons that need the first key at once make one, which is sealed", async (t, { db }) => {
  const sets = await Promise.all(Array.from({ length: 5 }, () => openTokens(db).published()));
  t.equal(new Set(sets.flatMap(({ keys }) => keys.map(({ kid }) => kid))).size, 1);
  const rows = await db.selectFrom("identity_keys").selectAll().execute();
  t.equal(rows.length, 1);
  t.notMatch(rows[0]?.private_key.toString("latin1"), "PRIVATE KEY");
  t.same(
    Object.keys(sets[0]?.keys[0] ?? {}).toSorted(),
    ["alg", "crv", "kid", "kty", "use", "x", "y"],
    "no private part",
  );
});

onEachServer(
  t,
  "a rotated key is published before it signs, and the old one until its tokens have ended",
  async (t, { db }) => {
    const tokens = openTokens(db);
    const host = { db, box, identityTokens: tokens, events: new EventLog("host") } as unknown as HostContext;
    const old = await tokens.sign(ISSUER, alice);
    const { kid, replaces, published } = await rotateIdentityKey(host, { atOnce: false });
    t.match({ replaces, published }, { replaces: kidOf(old), published: 2 });
    t.equal(kidOf(await tokens.sign(ISSUER, alice)), kidOf(old), "it waits");
    t.equal((await rotateIdentityKey(host, { atOnce: false })).kid, kid, "another call changes nothing meanwhile");
    await pass(db, LEAD_S + 1);
    const later = openTokens(db);
    t.equal(kidOf(await later.sign(ISSUER, alice)), kid);
    await verify(old, later);
    await pass(db, OVERLAP_S);
    const last = openTokens(db);
    await t.rejects(verify(old, last), { code: "ERR_JWKS_NO_MATCHING_KEY" });
    await verify(await last.sign(ISSUER, alice), last);
    const { rows } = await sql<{ entry: string }>`select entry from audit_log`.execute(db);
    t.equal(rows.filter(({ entry }) => entry.includes("host.identity_key_rotated")).length, 1);
  },
);

onEachServer(t, "attack: a key that leaked is withdrawn at once", async (t, { db }) => {
  const tokens = openTokens(db);
  const host = { db, box, identityTokens: tokens, events: new EventLog("host") } as unknown as HostContext;
  const old = await tokens.sign(ISSUER, alice);
  t.match(await rotateIdentityKey(host, { atOnce: true }), { replaces: null, published: 1 });
  await t.rejects(verify(old, tokens), { code: "ERR_JWKS_NO_MATCHING_KEY" });
  await verify(await tokens.sign(ISSUER, alice), tokens);
});

onEachServer(t, "rotations at once add one key", async (t, { db }) => {
  const host = () =>
    ({ db, box, identityTokens: openTokens(db), events: new EventLog("host") }) as unknown as HostContext;
  await openTokens(db).published();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => rotateIdentityKey(host(), { atOnce: false })),
  );
  t.ok(outcomes.some(({ status }) => status === "fulfilled"));
  t.equal((await openTokens(db).published()).keys.length, 2);
});
