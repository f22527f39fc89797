import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { describeIssuer } from "../../../src/orchestrator/identity/authorization-server.ts";
import { newClient } from "../../../src/orchestrator/identity/login-client.ts";
import { outsideFetch } from "../../../src/orchestrator/identity/outside-fetch.ts";
import { covers, describeResource } from "../../../src/orchestrator/identity/protected-resource.ts";
import { ToolLogin } from "../../../src/orchestrator/identity/tool-login.ts";
import { outsideUrlProblem } from "../../../src/shared/outside-addresses.ts";
import { startAuthorizationServer } from "../../helpers/authorization-server.ts";
import { startGuardedToolServer } from "../../helpers/guarded-tool-server.ts";
import { CookieJar } from "../../helpers/identity-provider.ts";

const callbackUrl = "http://127.0.0.1:9/oauth/callback";

/** The calls of a product that may call these private hosts. */
function callsTo(hosts: readonly string[]) {
  const urlProblem = (url: string) => outsideUrlProblem(url, hosts);
  return { urlProblem, fetch: outsideFetch({ timeoutMs: 3000, problem: urlProblem, privateHosts: () => hosts }) };
}

/** A server that answers every path by a function, and remembers who asked. */
async function answering(t: Test, answer: (path: string, url: string) => object | string) {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? "";
    seen.push(path);
    const { port } = server.address() as AddressInfo;
    const said = answer(path, `http://127.0.0.1:${port}`);
    if (typeof said === "string") response.writeHead(401, { "www-authenticate": said }).end();
    else response.setHeader("content-type", "application/json").end(JSON.stringify(said));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, port, url: `http://127.0.0.1:${port}` };
}

const isUntrusted = async (t: Test, work: Promise<unknown>, message: RegExp) => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  t.match(error, { name: "SignInFailure", message });
};

t.test("SSRF: metadata that names a private host is not read", async (t) => {
  const inside = await answering(t, () => ({ secret: "of the cloud" }));
  for (const named of [inside.url, "http://169.254.169.254/latest", "http://[::1]/", "file:///etc/passwd"]) {
    const tools = await answering(t, () => `Bearer resource_metadata="${named}"`);
    const { fetch } = callsTo([`127.0.0.1:${tools.port}`]);
    await isUntrusted(t, describeResource(`${tools.url}/mcp`, fetch), /./);
  }
  t.same(inside.seen, []);
});

t.test("SSRF: an issuer, and each address of its metadata, is checked as well", async (t) => {
  const inside = await answering(t, () => ({}));
  const issuerWith = (more: object) =>
    answering(t, (_, url) => ({
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      code_challenge_methods_supported: ["S256"],
      ...more,
    }));
  for (const field of ["token_endpoint", "authorization_endpoint", "registration_endpoint", "revocation_endpoint"])
    for (const named of ["javascript:alert(1)", "https://user:secret@example.com/", "file:///etc/passwd"]) {
      const issuer = await issuerWith({ [field]: named });
      const calls = callsTo([`127.0.0.1:${issuer.port}`]);
      await isUntrusted(t, describeIssuer(issuer.url, calls), /an address of its metadata/);
    }
  const endpoints = { registration_endpoint: inside.url, token_endpoint: inside.url, revocation_endpoint: inside.url };
  const issuer = await issuerWith(endpoints);
  const calls = callsTo([`127.0.0.1:${issuer.port}`]);
  const server = await describeIssuer(issuer.url, calls);
  await isUntrusted(t, newClient(server, { callbackUrl, documentUrl: "", fetch: calls.fetch }), /127\.0\.0\.1/);
  const client = { id: "c", secret: null, auth: "none" } as const;
  const login = new ToolLogin({ server, client, resource: "https://a.example" }, calls.fetch);
  await isUntrusted(t, login.refresh("a-token"), /127\.0\.0\.1/);
  await isUntrusted(t, login.revoke({ refreshToken: "a-token", accessToken: "another" }), /127\.0\.0\.1/);
  await isUntrusted(t, describeIssuer(inside.url, calls), /./);
  t.same(inside.seen, []);
});

t.test("wrong issuer: metadata of another issuer than the one that was asked is refused", async (t) => {
  const good = await startAuthorizationServer(t);
  const evil = await answering(t, () => ({
    issuer: good.issuer,
    authorization_endpoint: `${good.issuer}/auth`,
    token_endpoint: `${good.issuer}/token`,
    code_challenge_methods_supported: ["S256"],
  }));
  await isUntrusted(t, describeIssuer(evil.url, callsTo(["127.0.0.1"])), /calls itself another issuer/);
  await isUntrusted(t, describeIssuer(`${good.issuer}/`, callsTo(["127.0.0.1"])), /another issuer/);
});

t.test("downgrade: an authorization server without PKCE is refused", async (t) => {
  const server = await answering(t, (_, url) => ({
    issuer: url,
    authorization_endpoint: `${url}/auth`,
    token_endpoint: `${url}/token`,
    code_challenge_methods_supported: ["plain"],
  }));
  await isUntrusted(t, describeIssuer(server.url, callsTo(["127.0.0.1"])), /PKCE/);
});

t.test("resource mismatch: a server that asks for tokens of another one is refused", async (t) => {
  const tools = await answering(t, (path, url) =>
    path === "/metadata"
      ? { resource: "https://bank.example.com/mcp", authorization_servers: [url] }
      : `Bearer resource_metadata="${url}/metadata"`,
  );
  await isUntrusted(t, describeResource(`${tools.url}/mcp`, callsTo(["127.0.0.1"]).fetch), /about another server/);
  for (const [resource, url, expected] of [
    ["https://a.example/mcp", "https://a.example/mcp", true],
    ["https://a.example", "https://a.example/mcp", true],
    ["https://a.example/", "https://a.example/mcp", true],
    ["https://a.example/mc", "https://a.example/mcp", false],
    ["https://a.example/other", "https://a.example/mcp", false],
    ["https://a.example:8443/mcp", "https://a.example/mcp", false],
    ["http://a.example/mcp", "https://a.example/mcp", false],
    ["https://a.example.evil.com/mcp", "https://a.example/mcp", false],
    ["https://a.example/mcp#x", "https://a.example/mcp", false],
    ["nonsense", "https://a.example/mcp", false],
  ] as const)
    t.equal(covers(resource, url), expected, `${resource} for ${url}`);
});

/** A login that somebody is about to finish, and the callback's address of the browser. */
async function begun(t: Test) {
  const authorization = await startAuthorizationServer(t);
  const tools = await startGuardedToolServer(t, authorization);
  const { fetch, urlProblem } = callsTo(["127.0.0.1"]);
  const server = await describeIssuer(authorization.issuer, { fetch, urlProblem });
  const client = await newClient(server, { callbackUrl, documentUrl: "", fetch });
  const login = new ToolLogin({ server, client, resource: tools.url }, fetch);
  const signIn = async (who: string) => {
    const { url, checks } = await login.begin(callbackUrl, ["tools"]);
    return { back: new URL(await new CookieJar().signInAs(who, url, callbackUrl)), checks };
  };
  return { authorization, login, signIn };
}

t.test("mix-up: an answer of another issuer, or of none, is refused before the code is sent", async (t) => {
  const { authorization, login, signIn } = await begun(t);
  for (const iss of ["https://evil.example.com", null]) {
    const { back, checks } = await signIn("anna");
    if (iss === null) back.searchParams.delete("iss");
    else back.searchParams.set("iss", iss);
    authorization.called.length = 0;
    await isUntrusted(t, login.finish(callbackUrl, back.search.slice(1), checks), /./);
    t.notOk(authorization.called.includes("/token"), "no code was sent");
  }
});

t.test("code injection: a code of another login is refused by its PKCE verifier", async (t) => {
  const { login, signIn } = await begun(t);
  const attacker = await signIn("mallory");
  const victim = await signIn("anna");
  victim.back.searchParams.set("code", attacker.back.searchParams.get("code") ?? "");
  await isUntrusted(t, login.finish(callbackUrl, victim.back.search.slice(1), victim.checks), /invalid_grant/);
});

t.test("state of another login: it is refused before the code is sent", async (t) => {
  const { authorization, login, signIn } = await begun(t);
  const [one, other] = [await signIn("anna"), await signIn("anna")];
  authorization.called.length = 0;
  await isUntrusted(t, login.finish(callbackUrl, one.back.search.slice(1), other.checks), /./);
  t.notOk(authorization.called.includes("/token"));
});
