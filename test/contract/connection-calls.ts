import type { Test } from "tap";
import type { RouteName } from "../../src/contract/orchestrator/routes.ts";
import type { Route } from "../../src/contract/orchestrator/routes/route-row.ts";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { startGuardedToolServer } from "../helpers/guarded-tool-server.ts";
import { CookieJar } from "../helpers/identity-provider.ts";
import { agreed } from "../helpers/tool-logins.ts";
import type { ContractCaller } from "./contract-caller.ts";

const ALICE = { user_id: "alice" };
const DEMO = { product_id: "demo" };

/** Calls every route of logins at tool servers for the engine of alice. */
export async function callConnections(t: Test, caller: ContractCaller<RouteName, Route>, url: string): Promise<void> {
  const call = caller.call.bind(caller);
  const authorization = await startAuthorizationServer(t);
  const tools = await startGuardedToolServer(t, authorization);
  await call("setPolicy", { path: DEMO, body: { private_hosts: ["127.0.0.1"] }, expect: 200 });
  const mcpServers = { guarded: { url: tools.url, login: "oauth" } };
  const archive = await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers }) });
  await call("pushCatalog", { body: archive, expect: 200 });
  const path = { ...ALICE, server: "guarded" };
  await call("listConnections", { path: ALICE, expect: 200 });
  await call("listConnections", { path: { user_id: "nobody" }, expect: "ENGINE_NOT_FOUND" });
  await call("beginConnection", { path: { ...path, server: "other" }, expect: "CONNECTION_NOT_FOUND" });
  await call("deleteConnection", { path, expect: "CONNECTION_NOT_FOUND" });
  const { body: first } = await call("beginConnection", { path, expect: 201 });
  const jar = new CookieJar();
  await call("startLogin", { query: new URL(first.url).search, expect: 200 });
  // The address for browsers is another one, which nobody answers here.
  const link = url + new URL(first.url).pathname + new URL(first.url).search;
  const go = await agreed(link, jar);
  const headers = { cookie: [...jar.of(url)].map(([name, value]) => `${name}=${value}`).join("; ") };
  await call("startLogin", { query: new URL(go).search, headers, expect: 303 });
  const callback = await jar.signInAs("alice", go, new URL("/oauth/callback", first.url).href);
  await call("finishLogin", { query: new URL(callback).search, headers, expect: 200 });
  await call("refuseLogin", { query: new URL(first.url).search, expect: 200 });
  await call("loginClient", { expect: 200 });
  await call("listConnections", { path: ALICE, expect: 200 });
  await call("deleteConnection", { path, expect: 200 });
}
