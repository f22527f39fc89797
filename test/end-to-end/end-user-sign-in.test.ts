import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, exportSPKI, generateKeyPair } from "jose";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { CLIENT, CookieJar, startIdp } from "../helpers/identity-provider.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base } });
const { daemon } = fleet;
const policy = (body: object, slug = "sleepy") => daemon.admin(`/products/${slug}/policy`, { method: "PUT", body });
const me = (token: string, path: string, method = "GET") =>
  ask(base, `/me${path}`, { method, headers: { authorization: `Bearer ${token}` } });
const INVALID = { status: 401, body: { error: "INVALID_TOKEN" } };

/** Signs in at the provider as a product's own page does, and gives the ID token. */
async function signIn(issuer: string, who: string): Promise<string> {
  const callback = `${APP}sign-in/callback`;
  const verifier = randomBytes(32).toString("base64url");
  const begin = new URL("/auth", issuer);
  begin.search = new URLSearchParams({
    client_id: CLIENT.id,
    response_type: "code",
    scope: "openid",
    redirect_uri: callback,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  const jar = new CookieJar();
  const code = new URL(await jar.signInAs(who, begin.href, callback)).searchParams.get("code") ?? "";
  const answer = await fetch(new URL("/token", issuer), {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64")}` },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: callback,
      code_verifier: verifier,
    }),
  });
  return ((await answer.json()) as { id_token: string }).id_token;
}
const APP = "https://app.example.com/";

t.test(
  "the token of a real identity provider is accepted as it is, and creates the engine of a new user",
  async (t) => {
    const idp = await startIdp(t, { consoleUrl: APP, people: { "user-1": {}, "user-2": {} } });
    const hosts = [new URL(idp.issuer).host];
    const end_users = { issuer: idp.issuer, audience: CLIENT.id, jwks_url: `${idp.issuer}/jwks` };
    t.match(await policy({ end_users }), {
      status: 400,
      body: { error: { message: /^end_users\.jwks_url: .*private_hosts/ } },
    });
    t.match(await policy({ end_users, private_hosts: hosts }), { status: 200 });
    const token = await signIn(idp.issuer, "user-1");
    const first = await me(token, "/health");
    const engineOf = async (user: string) => (await fleet.platform("GET", `/engines/${user}`)).body.id;
    t.match(first, { status: 200, body: { engine_id: await engineOf("user-1") } });
    t.equal((await me(token, "/tasks")).status, 200);
    t.match(await me(token, "/assets/catalog"), { status: 403 });
    const { body: second } = await me(await signIn(idp.issuer, "user-2"), "/health");
    t.equal(second.engine_id, await engineOf("user-2"));
    t.match(await daemon.admin("/admin/events?limit=200").then(({ text }) => text), "engine.provisioned");

    await t.test("not where the policy forbids it", async (t) => {
      await policy({ allowed_actions: ["provision", "start", "stop", "rotate_key", "destroy"] });
      await fleet.platform("DELETE", "/engines/user-2");
      const refused = await me(await signIn(idp.issuer, "user-2"), "/health");
      t.match(refused, { status: 404, body: { message: /auto_provision/ } });
    });

    await t.test("a revocation ends tokens that were issued before it", async (t) => {
      const stream = await openStream(`${base}/me`, "/execute/replay?follow=true", {
        headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
      });
      await fleet.platform("POST", "/engines/user-1/tokens/revoke");
      await until("the stream is cut", () => stream.ended);
      t.match(await me(token, "/tasks"), INVALID);
      // Tokens count whole seconds.
      await until("a token of a later second is valid", async () => {
        return (await me(await signIn(idp.issuer, "user-1"), "/tasks")).status === 200;
      });
    });

    await t.test("two products cannot have the same issuer and audience", async (t) => {
      const body = { slug: "copy", policy: { end_users, private_hosts: hosts } };
      const refused = await daemon.admin("/products/register", { method: "POST", body });
      t.match(refused, {
        status: 400,
        body: { error: { message: /^policy\.end_users: another product has this issuer/ } },
      });
    });

    await t.test("another policy ends what it does not name", async (t) => {
      const valid = await signIn(idp.issuer, "user-1");
      t.equal((await me(valid, "/tasks")).status, 200);
      await policy({ end_users: null });
      t.match(await me(valid, "/tasks"), INVALID);
    });
  },
);

t.test("attacks with tokens that are not the provider's", async (t) => {
  await fleet.provision("victim");
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1" };
  const valid = { iss: "https://login.example.com", aud: "orchd", sub: "victim" };
  const end_users = { issuer: valid.iss, audience: valid.aud, public_keys: [jwk], algorithms: ["ES256"] };
  t.match(await policy({ end_users }), { status: 200 });
  const now = Math.floor(Date.now() / 1000);
  const made = (
    claims: Readonly<Record<string, unknown>>,
    { key = privateKey, header = {} }: { key?: typeof privateKey; header?: object } = {},
  ) =>
    new SignJWT({ ...valid, iat: now, exp: now + 60, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "k1", ...header })
      .sign(key);
  t.equal((await me(await made({}), "/tasks")).status, 200, "a valid one");
  t.equal((await me(await made({ aud: ["other", "orchd"] }), "/tasks")).status, 200);
  const late = await made({ exp: now - 5 });
  for (const call of ["first", "cached"])
    t.equal((await me(late, "/tasks")).status, 200, `over by less than the skew, ${call}`);
  const { privateKey: stolen } = await generateKeyPair("ES256");
  for (const [title, token] of [
    ["another issuer", await made({ iss: "https://evil.example.com" })],
    ["another audience", await made({ aud: "other" })],
    ["expired", await made({ exp: now - 31 })],
    ["not valid yet", await made({ nbf: now + 60 })],
    ["without an end", await made({ exp: undefined })],
    ["without the time of issue", await made({ iat: undefined })],
    ["a user that is no text", await made({ sub: 7 })],
    ["an empty user", await made({ sub: "" })],
    ["another key", await made({}, { key: stolen })],
    ["a key id that nobody has", await made({}, { header: { kid: "../k1" } })],
    [
      "a key in the token",
      await made({}, { key: stolen, header: { jwk: await exportJWK(publicKey), kid: undefined } }),
    ],
  ] as const)
    t.match(await me(token, "/tasks"), INVALID, title);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const payload = part({ ...valid, iat: now, exp: now + 60 });
  t.match(await me(`${part({ alg: "none" })}.${payload}.`, "/tasks"), INVALID, "alg: none");
  const confused = `${part({ alg: "HS256", kid: "k1" })}.${payload}`;
  const mac = createHmac("sha256", await exportSPKI(publicKey))
    .update(confused)
    .digest("base64url");
  t.match(await me(`${confused}.${mac}`, "/tasks"), INVALID, "the public key as a secret");

  await t.test("attack: engines created by calls that no token permits", async (t) => {
    await policy({ allowed_actions: ["provision", "destroy", "auto_provision"] });
    const unknown = await made({ sub: "nobody" });
    t.equal((await me(unknown, "/../e/x/tasks")).status, 404);
    t.equal((await me(unknown, "/control/status")).status, 404);
    t.equal((await me(unknown, "/assets/catalog")).status, 403);
    t.equal((await fleet.platform("GET", "/engines/nobody")).status, 404);
    t.equal((await me(unknown, "/tasks")).status, 200);
    t.equal((await fleet.platform("GET", "/engines/nobody")).status, 200);
  });
});

t.test("attack: SSRF by jwks_url", async (t) => {
  let calls = 0;
  const inside = createServer((_request, response) => {
    calls++;
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(inside, "listening");
  t.teardown(() => inside.close());
  const { port: private_ } = inside.address() as AddressInfo;
  const users = (jwks_url: string) => ({
    end_users: { issuer: "https://a.example", audience: "b", jwks_url },
    private_hosts: [],
  });
  for (const url of [`http://127.0.0.1:${private_}/`, "file:///etc/passwd", "https://user:pass@a.example/", "ftp://a"])
    t.match(await policy(users(url)), { status: 400, body: { error: { message: /^end_users\.jwks_url/ } } }, url);
  t.equal((await policy(users(`https://localhost:${private_}/jwks`))).status, 200);
  const { privateKey } = await generateKeyPair("ES256");
  const token = await new SignJWT({ sub: "victim" })
    .setProtectedHeader({ alg: "ES256" })
    .setIssuer("https://a.example")
    .setAudience("b")
    .setIssuedAt()
    .setExpirationTime("1m")
    .sign(privateKey);
  t.match(await me(token, "/tasks"), INVALID);
  t.equal(calls, 0);
});

t.test("bad input names the field", async (t) => {
  const good = { issuer: "https://a.example", audience: "b", jwks_url: "https://a.example/jwks" };
  for (const [change, field] of [
    [{ issuer: "" }, "end_users.issuer"],
    [{ algorithms: ["HS256"] }, "end_users.algorithms"],
    [{ algorithms: [] }, "end_users.algorithms"],
    [{ public_keys: [{ kty: "oct", k: "c2VjcmV0" }], jwks_url: undefined }, "end_users.public_keys"],
    [{ public_keys: [{ kty: "EC" }] }, "end_users"],
    [{ jwks_url: undefined }, "end_users"],
    [{ clock_skew_s: 301 }, "end_users.clock_skew_s"],
    [{ scope: "admin" }, "end_users.scope"],
    [{ extra: 1 }, "end_users"],
  ] as const)
    t.match(
      await policy({ end_users: { ...good, ...change } }),
      { status: 400, body: { error: { message: new RegExp(`^${field}`) } } },
      field,
    );
});
