import { generateKeyPair } from "jose";
import t, { type Test } from "tap";
import { SESSION_LIMITS } from "../../../src/contract/console/session-limits.ts";
import { IdentityProvider } from "../../../src/orchestrator/identity/identity-provider.ts";
import { beginSignIn } from "../../../src/orchestrator/operations/begin-sign-in.ts";
import { finishSignIn } from "../../../src/orchestrator/operations/finish-sign-in.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { type Db, openDatabase } from "../../../src/orchestrator/store/database.ts";
import { migrateToLatest } from "../../../src/orchestrator/store/migrate.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import {
  FORGED_CLIENT,
  type ForgingProvider,
  SILENCE,
  signed,
  startForgingProvider,
  unsigned,
} from "../../helpers/forging-provider.ts";
import { freshDatabase } from "../../helpers/shared-postgres.ts";

const { db, close } = openDatabase(await freshDatabase(t), createLogger("test", "silent"));
t.teardown(close);
await migrateToLatest(db);

/** A daemon and its provider. */
async function openSignIn(t: Test) {
  const forger = await startForgingProvider(t);
  forger.claims = { groups: ["platform"] };
  const clock = { now: Date.now() };
  const host = { db, now: () => clock.now, box: new SealedBox("secret") };
  const provider = providerOf(forger.issuer);
  /** Begins, comes back with a code, and finishes. The session, or the problem. */
  const signIn = async ({
    change = (query: URLSearchParams) => query,
    pending = (sealed: string): string | null => sealed,
    with: finisher = provider,
  } = {}) => {
    const begun = await beginSignIn(host, provider, "/");
    const { searchParams: asked } = new URL(begun.url);
    forger.nonce = asked.get("nonce") ?? "";
    const query = change(new URLSearchParams({ code: "c", state: asked.get("state") ?? "" }));
    const finished = await finishSignIn(host, finisher, {
      query: query.toString(),
      pending: pending(begun.pending),
    }).catch((error: { readonly problem?: string }) => error.problem ?? error);
    return { asked, finished };
  };
  return { forger, host, clock, provider, signIn };
}

const providerOf = (issuer: string, more: object = {}, options: { readonly callMs?: number } = {}) =>
  new IdentityProvider(
    {
      issuer,
      clientId: FORGED_CLIENT.id,
      clientSecret: FORGED_CLIENT.secret,
      clientAuth: "client_secret_basic",
      scopes: "openid",
      groupClaim: "groups",
      groups: { viewer: ["support"], operator: ["on-call"], admin: ["platform"] },
      consoleUrl: "https://agents.example.com/orchd/console/",
      ...more,
    },
    options,
  );

const problemOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: { readonly problem?: string }) => error.problem ?? error,
  );

const sessions = (of: Db) => of.selectFrom("console_sessions").select("id").execute();
/** Every sign-in ends so, and opens no session. */
async function allRefused(
  t: Test,
  {
    forger,
    signIn,
  }: { readonly forger: ForgingProvider; readonly signIn: Awaited<ReturnType<typeof openSignIn>>["signIn"] },
  cases: Readonly<Record<string, Partial<Pick<ForgingProvider, "claims" | "forge">>>>,
): Promise<void> {
  const before = await sessions(db);
  const { claims, forge } = forger;
  for (const [what, change] of Object.entries(cases)) {
    Object.assign(forger, { claims, forge }, change);
    t.equal((await signIn()).finished, "untrusted", what);
  }
  Object.assign(forger, { claims, forge });
  t.match((await signIn()).finished, { session: { role: "admin" } }, "the provider's own token signs in");
  t.equal((await sessions(db)).length, before.length + 1, "no other session was opened");
}

t.test("a sign-in uses PKCE, a state and a nonce, which are new each time", async (t) => {
  const { forger, signIn } = await openSignIn(t);
  const [one, other] = [await signIn(), await signIn()];
  t.match(one.finished, { session: { role: "admin", subject: "u-1" }, token: /^orchs_/ });
  const { asked } = one;
  t.equal(asked.get("response_type"), "code");
  t.equal(asked.get("code_challenge_method"), "S256");
  t.equal(asked.get("redirect_uri"), "https://agents.example.com/orchd/console/sign-in/callback");
  for (const name of ["state", "nonce", "code_challenge"]) {
    t.ok((asked.get(name) ?? "").length >= 43, name);
    t.not(asked.get(name), other.asked.get(name), name);
  }
  const [verifier = ""] = forger.forms.map((form) => form.get("code_verifier") ?? "");
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(verifier));
  t.equal(Buffer.from(digest).toString("base64url"), asked.get("code_challenge"), "the code is bound to the browser");
});

t.test("attack: an ID token with alg none, also when the provider's description allows it", async (t) => {
  const bench = await openSignIn(t);
  bench.forger.description = { id_token_signing_alg_values_supported: ["RS256", "none", "HS256"] };
  await allRefused(t, bench, {
    none: { forge: (claims) => unsigned(claims, "none") },
    None: { forge: (claims) => unsigned(claims, "None") },
    "no signature": { forge: (claims) => unsigned(claims, "RS256") },
  });
});

t.test("attack: an ID token signed by another key, or with a public value as the key", async (t) => {
  const bench = await openSignIn(t);
  bench.forger.description = { id_token_signing_alg_values_supported: ["RS256", "HS256"] };
  const { privateKey: other } = await generateKeyPair("RS256");
  const text = (value: string) => new TextEncoder().encode(value);
  await allRefused(t, bench, {
    "another key of the same id": { forge: (claims) => signed(claims, other) },
    "an unknown id": { forge: (claims) => signed(claims, other, { kid: "two" }) },
    "a path as the id": { forge: (claims) => signed(claims, other, { kid: "../../etc/passwd" }) },
    "the public key as HMAC's": { forge: (claims) => signed(claims, text(bench.forger.publicPem), { alg: "HS256" }) },
    "the client's secret as HMAC's": {
      forge: (claims) => signed(claims, text(FORGED_CLIENT.secret), { alg: "HS256" }),
    },
    "a text that is no token": { forge: () => "x.y.z" },
  });
});

t.test("attack: an ID token without a nonce, of another sign-in, client, issuer or time", async (t) => {
  const bench = await openSignIn(t);
  const { claims } = bench.forger;
  const now = Math.floor(Date.now() / 1000);
  const cases: Record<string, object> = {
    "no nonce": { nonce: undefined },
    "another nonce": { nonce: "n" },
    "another audience": { aud: "other" },
    "several audiences without a party": { aud: ["other", FORGED_CLIENT.id] },
    "another party": { aud: [FORGED_CLIENT.id, "other"], azp: "other" },
    "no audience": { aud: undefined },
    "another issuer": { iss: "https://evil.example" },
    "no issuer": { iss: undefined },
    expired: { exp: now - 120 },
    "no expiry": { exp: undefined },
    "of the future": { nbf: now + 3600 },
    "no subject": { sub: undefined },
    "an empty subject": { sub: "" },
    "a subject with a line feed": { sub: "u-1\nadmin" },
    "a long subject": { sub: "s".repeat(256) },
    "a subject that is a list": { sub: ["u-1"] },
  };
  await allRefused(
    t,
    bench,
    Object.fromEntries(Object.entries(cases).map(([what, more]) => [what, { claims: { ...claims, ...more } }])),
  );
});

t.test("attack: a mix-up of issuers", async (t) => {
  const { forger, host, provider, signIn } = await openSignIn(t);
  const byOther = (query: URLSearchParams) => (query.set("iss", "https://evil.example"), query);
  t.equal((await signIn({ change: byOther })).finished, "untrusted", "the callback names another issuer");
  t.equal(forger.forms.length, 0, "no code was sent");
  const other = await openSignIn(t);
  t.equal((await signIn({ with: other.provider })).finished, "expired", "the provider was changed meanwhile");
  t.equal(other.forger.forms.length, 0, "no code was sent to the new one");
  forger.description = { authorization_response_iss_parameter_supported: true };
  await provider.describe();
  t.equal((await signIn()).finished, "untrusted", "the callback names none, and the provider always does");
  for (const issuer of [
    "https://evil.example",
    `${forger.issuer}/other`,
    forger.issuer.replace("127.0.0.1", "localhost"),
  ]) {
    forger.description = { issuer };
    t.equal(await problemOf(beginSignIn(host, providerOf(forger.issuer), "/")), "untrusted", issuer);
  }
});

t.test("attack: repeated parameters, an error, or no code", async (t) => {
  const { forger, signIn } = await openSignIn(t);
  const cases: Record<string, [problem: string, change: (query: URLSearchParams) => void]> = {
    "two codes": ["untrusted", (query) => query.append("code", "d")],
    "two states, the right one last": [
      "expired",
      (query) => {
        const state = query.get("state") ?? "";
        query.set("state", "x");
        query.append("state", state);
      },
    ],
    "no code": ["untrusted", (query) => query.delete("code")],
    "no state": ["expired", (query) => query.delete("state")],
    "an ID token in the address": ["untrusted", (query) => query.set("id_token", "x.y.z")],
    refused: ["refused", (query) => query.set("error", "access_denied")],
  };
  for (const [what, [problem, change]] of Object.entries(cases))
    t.equal((await signIn({ change: (query) => (change(query), query) })).finished, problem, what);
  t.equal(forger.forms.length, 0, "no code was sent");
});

t.test("attack: a cookie that is altered, old, of another deployment, or sealed for another purpose", async (t) => {
  const { host, clock, signIn } = await openSignIn(t);
  const flipped = (sealed: string) => sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
  const cases: Record<string, (sealed: string) => string | null> = {
    none: () => null,
    empty: () => "",
    altered: flipped,
    "cut off": (sealed) => sealed.slice(0, 20),
    "another key": () => new SealedBox("other").seal("[]").toString("base64url"),
    "a sealed list": () => host.box.seal("[]").toString("base64url"),
    "a sealed text": () => host.box.seal("engine_env").toString("base64url"),
    "a sealed null": () => host.box.seal("null").toString("base64url"),
    "a sealed object": () => host.box.seal('{"LLM_API_KEY":"x"}').toString("base64url"),
  };
  for (const [what, pending] of Object.entries(cases)) t.equal((await signIn({ pending })).finished, "expired", what);
  const late = await signIn({
    pending: (sealed) => {
      clock.now += SESSION_LIMITS.signInS * 1000;
      return sealed;
    },
  });
  t.equal(late.finished, "expired", "after 10 minutes");
});

t.test("attack: the userinfo of another person", async (t) => {
  const { forger, signIn } = await openSignIn(t);
  forger.claims = {};
  forger.userinfo = { sub: "u-2", groups: ["platform"] };
  t.equal((await signIn()).finished, "untrusted");
  forger.userinfo = { sub: "u-1", groups: ["on-call"], name: "Anna" };
  t.match((await signIn()).finished, { session: { role: "operator", subject: "u-1", person_name: "Anna" } });
});

t.test("groups: a text, a list, 10,000 entries; another form gives no role", async (t) => {
  const { forger, signIn } = await openSignIn(t);
  const many = Array.from({ length: 10_000 }, (_, index) => `group-${index}-of-a-large-company-with-long-names`);
  const roles: readonly (readonly [what: string, groups: unknown, role: string | null])[] = [
    ["a text", "on-call", "operator"],
    ["a list", ["support", "on-call"], "operator"],
    ["10,000 entries", [...many, "platform"], "admin"],
    ["10,000 others", many, null],
    ["a text with several", "support on-call", null],
    ["a text with commas", "support,platform", null],
    ["another case", "Platform", null],
    ["spaces around", " platform ", null],
    ["an object", { platform: true }, null],
    ["an object that looks like a list", { 0: "platform", length: 1 }, null],
    ["a list in a list", [["platform"]], null],
    ["other entries beside", [null, 1, { a: 1 }, "support"], "viewer"],
    ["an empty list", [], null],
    ["null", null, null],
    ["a number", 1, null],
    ["true", true, null],
    ["an empty text", "", null],
  ];
  for (const [what, groups, role] of roles) {
    forger.claims = { groups };
    const { finished } = await signIn();
    if (role === null) t.equal(finished, "no_role", what);
    else t.match(finished, { session: { role } }, what);
  }
  forger.claims = {};
  t.equal((await signIn()).finished, "no_role", "no claim");
});

t.test("attack: an address of another person as the group, which the provider has not verified", async (t) => {
  const { forger, signIn } = await openSignIn(t);
  const byEmail = providerOf(forger.issuer, {
    groupClaim: "email",
    groups: { viewer: [], operator: [], admin: ["a@b.c"] },
  });
  for (const email_verified of [false, undefined, "true", 1]) {
    forger.claims = { email: "a@b.c", email_verified };
    t.equal((await signIn({ with: byEmail })).finished, "no_role", String(email_verified));
  }
  forger.claims = { email: "a@b.c", email_verified: true };
  t.match((await signIn({ with: byEmail })).finished, { session: { role: "admin", email: "a@b.c" } });
});

t.test("what a provider calls a person is bounded and has no control characters", async (t) => {
  const { forger, signIn } = await openSignIn(t);
  for (const [name, shown] of [
    [`An\u0000na\r\n\u202Eevil${"x".repeat(9000)}`, /^An na evilx{246}$/],
    ["\u0007", null],
    [{ toString: "x" }, null],
    [["Anna"], null],
  ] as const) {
    forger.claims = { groups: "platform", name };
    const { finished } = await signIn();
    t.match(finished, { session: { person_name: shown } });
  }
  forger.claims = { groups: "platform", padding: "p".repeat(5000) };
  t.match((await signIn()).finished, { session: { id_token: null } }, "a long ID token is not kept");
});

t.test("a provider that answers badly: no session, and a failure that says so", async (t) => {
  const { forger, host, provider, signIn } = await openSignIn(t);
  const description = "/.well-known/openid-configuration";
  for (const [what, answer, problem] of [
    ["an error", { status: 500, body: "no" }, "unreachable"],
    ["not found", { status: 404, body: {} }, "untrusted"],
    ["a redirect", { status: 302, body: "" }, "untrusted"],
    ["a page", { type: "text/html", body: "<html>" }, "untrusted"],
    ["broken JSON", { body: "{" }, "untrusted"],
    ["a list", { body: [] }, "untrusted"],
    ["3 MiB", { body: { issuer: forger.issuer, x: "x".repeat(3 * 1024 ** 2) } }, "untrusted"],
  ] as const) {
    forger.answers.set(description, answer);
    t.equal(await problemOf(beginSignIn(host, providerOf(forger.issuer), "/")), problem, `description: ${what}`);
    t.equal(await providerOf(forger.issuer).endSessionUrl(null), null, "nothing to sign out of");
    forger.answers.clear();
    for (const path of ["/token", "/jwks"]) {
      // A description that was read is used for a while, keys too.
      const own = providerOf(forger.issuer);
      forger.answers.set(path, answer);
      t.match((await signIn({ with: own })).finished, /^(unreachable|untrusted)$/, `${path}: ${what}`);
      forger.answers.clear();
    }
  }
  t.match((await signIn()).finished, { session: {} }, "a failure is not kept");
  for (const path of [description, "/token", "/jwks"]) {
    const silent = providerOf(forger.issuer, {}, { callMs: 200 });
    if (path !== description) await silent.describe();
    forger.answers.set(path, SILENCE);
    t.equal((await signIn({ with: silent })).finished, "unreachable", `${path}: silence`);
    forger.answers.clear();
  }
  forger.answers.set("/token", { status: 401, body: { error: "invalid_client" } });
  t.equal((await signIn()).finished, "refused");
  forger.answers.clear();
  forger.description = { token_endpoint: "http://192.0.2.1/token" };
  await provider.describe();
  t.equal((await signIn()).finished, "untrusted", "no secret is sent without TLS to another machine");
  t.equal(await problemOf(beginSignIn(host, providerOf("http://127.0.0.1:1"), "/")), "unreachable");
});
