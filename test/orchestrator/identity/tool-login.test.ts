import t from "tap";
import { describeIssuer } from "../../../src/orchestrator/identity/authorization-server.ts";
import { newClient } from "../../../src/orchestrator/identity/login-client.ts";
import { outsideFetch } from "../../../src/orchestrator/identity/outside-fetch.ts";
import { describeResource } from "../../../src/orchestrator/identity/protected-resource.ts";
import { ToolLogin } from "../../../src/orchestrator/identity/tool-login.ts";
import { outsideUrlProblem } from "../../../src/shared/outside-addresses.ts";
import { startAuthorizationServer } from "../../helpers/authorization-server.ts";
import { startGuardedToolServer } from "../../helpers/guarded-tool-server.ts";
import { CookieJar } from "../../helpers/identity-provider.ts";

const hosts = ["127.0.0.1"];
const urlProblem = (url: string) => outsideUrlProblem(url, hosts);
const fetch = outsideFetch({ timeoutMs: 5000, problem: urlProblem, privateHosts: () => hosts });
const callbackUrl = "http://127.0.0.1:9/oauth/callback";

t.test("a user signs in to a tool server, the tokens are renewed, and end at the server", async (t) => {
  const authorization = await startAuthorizationServer(t);
  const tools = await startGuardedToolServer(t, authorization);
  const resource = await describeResource(tools.url, fetch);
  t.same(resource, { resource: tools.url, issuer: authorization.issuer, scopes: ["tools"] });
  const server = await describeIssuer(resource.issuer, { fetch, urlProblem });
  const client = await newClient(server, { callbackUrl, documentUrl: "http://127.0.0.1:9/oauth/client.json", fetch });
  const login = new ToolLogin({ server, client, resource: resource.resource }, fetch);
  const { url, checks } = await login.begin(callbackUrl, resource.scopes ?? []);
  t.match(new URL(url).searchParams.get("resource"), tools.url);
  const back = await new CookieJar().signInAs("anna", url, callbackUrl);
  const first = await login.finish(callbackUrl, new URL(back).search.slice(1), checks);
  t.match(await authorization.lookUp(first.accessToken), { subject: "anna", audience: tools.url, scopes: ["tools"] });
  const second = await login.refresh(first.refreshToken ?? "");
  t.not(second.refreshToken, first.refreshToken, "the server has given another refresh token");
  t.match(await authorization.lookUp(second.accessToken), { subject: "anna", audience: tools.url });
  t.equal(await login.revoke(second), true);
  t.equal(await authorization.lookUp(second.accessToken), null);
  const refused = await login.refresh(second.refreshToken ?? "").catch((error: unknown) => error);
  t.match(refused, { problem: "refused", refusal: "invalid_grant" });
});
