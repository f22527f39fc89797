import t from "tap";
import { type AuthorizationServer, startAuthorizationServer } from "../helpers/authorization-server.ts";
import { freePort } from "../helpers/daemon.ts";
import { openTokenRoad } from "../helpers/token-road.ts";
import { type LoginFleet, openLoginFleet, signInBy } from "../helpers/tool-logins.ts";
import { until } from "../helpers/until.ts";

/** Two tries of a server that is away. */
const RETRIED_MS = 90_000;

interface Granted {
  readonly clientId: string;
  readonly refreshToken: string;
}

/** Signs a new user in, and returns what the authorization server has granted. */
async function signIn(fleet: LoginFleet, user: string): Promise<Granted> {
  await fleet.provision(user);
  const { body } = await fleet.platform("POST", `/engines/${user}/connections/guarded`);
  const page = await signInBy(body.url, user);
  if (!page.text.includes("Signed in")) throw new Error(page.text);
  for (const [name, { accountId, clientId = "" }] of fleet.authorization.records)
    if (name.startsWith("RefreshToken ") && accountId === user)
      return { clientId, refreshToken: name.slice("RefreshToken ".length) };
  throw new Error(`${user} has no refresh token`);
}

/** What the authorization server says to a refresh token. */
async function refresh({ issuer }: AuthorizationServer, { clientId, refreshToken }: Granted) {
  const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken };
  const answer = await fetch(`${issuer}/token`, { method: "POST", body: new URLSearchParams(form) });
  return { status: answer.status, body: await answer.json() };
}

const REFUSED = { status: 400, body: { error: "invalid_grant" } };

/** Whether a login has ended there, asked without using its token. */
const isEnded = ({ records }: AuthorizationServer, { refreshToken }: Granted): boolean =>
  !records.has(`RefreshToken ${refreshToken}`);

t.test("a destroyed user's refresh token is refused by the authorization server, another's is not", async (t) => {
  const fleet = await openLoginFleet(t);
  const anna = await signIn(fleet, "anna");
  const ben = await signIn(fleet, "ben");
  t.equal((await fleet.platform("DELETE", "/engines/anna?keep_data=true")).status, 200);
  await until("it is ended there", () => isEnded(fleet.authorization, anna));
  t.match(await refresh(fleet.authorization, anna), REFUSED);
  t.match(await refresh(fleet.authorization, ben), { status: 200 });
});

t.test("a daemon that is killed before it has told the authorization server lets the next one tell it", async (t) => {
  const fleet = await openLoginFleet(t);
  const anna = await signIn(fleet, "anna");
  let isAway = true;
  fleet.authorization.before = async ({ url }) => {
    if (isAway && url === "/token/revocation") throw new Error("away");
  };
  t.equal((await fleet.platform("DELETE", "/engines/anna")).status, 200);
  await fleet.daemon.stop("SIGKILL");
  t.notOk(isEnded(fleet.authorization, anna));
  isAway = false;
  await fleet.restart();
  await until("it is ended there", () => isEnded(fleet.authorization, anna), RETRIED_MS);
  t.match(await refresh(fleet.authorization, anna), REFUSED);
});

t.test("an authorization server that hangs delays no destroy, and is asked again", async (t) => {
  const fleet = await openLoginFleet(t);
  const users = [await signIn(fleet, "anna"), await signIn(fleet, "ben")];
  const hung = Promise.withResolvers<void>();
  t.teardown(hung.resolve);
  let hanging = 0;
  fleet.authorization.before = async ({ url }) => {
    if (url !== "/token/revocation") return;
    hanging++;
    await hung.promise;
  };
  t.match(await fleet.platform("DELETE", "/engines/anna/connections/guarded"), {
    status: 200,
    body: { deleted: true, revoked: false },
  });
  t.equal(hanging, 1, "it was asked once, and has not answered");
  t.equal((await fleet.platform("DELETE", "/engines/ben")).status, 200);
  await until("it is asked for the other one", () => hanging > 1);
  t.equal((await fleet.platform("GET", "/engines/ben")).status, 404);
  hung.resolve();
  for (const user of users) await until("it is ended there", () => isEnded(fleet.authorization, user), RETRIED_MS);
});

t.test("a destroy does not wait for a renewal either, and what that still gives is ended", async (t) => {
  const authorization = await startAuthorizationServer(t, { accessTokenS: 30 });
  const fleet = await openLoginFleet(t, { authorization });
  await signIn(fleet, "anna");
  const { engine_id: engine, incarnation } = (await fleet.platform("GET", "/engines/anna")).body;
  const { dataDir } = fleet.daemon;
  const tokenOf = openTokenRoad(t, { dataDir, url: fleet.publicUrl, tools: fleet.tools.url });
  const hung = Promise.withResolvers<void>();
  t.teardown(hung.resolve);
  let isHanging = false;
  authorization.before = async ({ url }) => {
    if (url !== "/token") return;
    isHanging = true;
    await hung.promise;
  };
  const asked = tokenOf({ engine, incarnation }).catch(() => ({ state: "refused" }));
  await until("it is renewed", () => isHanging);
  t.equal((await fleet.platform("DELETE", "/engines/anna")).status, 200);
  hung.resolve();
  t.not((await asked).state, "token");
  await until(
    "all of it is ended",
    () => ![...authorization.records.keys()].some((name) => name.startsWith("RefreshToken ")),
  );
});

t.test("a deleted product ends the logins of its users, with the secret of its client", async (t) => {
  const client = {
    client_id: "orchd-app",
    client_secret: "the-secret-of-the-client",
    redirect_uris: [] as string[],
    token_endpoint_auth_method: "client_secret_basic" as const,
  };
  const port = await freePort();
  client.redirect_uris = [`http://127.0.0.1:${port}/oauth/callback`];
  const authorization = await startAuthorizationServer(t, { change: (same) => ({ ...same, clients: [client] }) });
  const oauth = { client_id: client.client_id, client_secret: "${secret:APP}" };
  const fleet = await openLoginFleet(t, { port, authorization, oauth });
  const body = { value: client.client_secret, hosts: [`127.0.0.1:${authorization.port}`] };
  await fleet.daemon.admin("/products/sleepy/secrets/APP", { method: "PUT", body });
  const anna = await signIn(fleet, "anna");
  t.equal((await fleet.daemon.admin("/products/sleepy?force=true", { method: "DELETE" })).status, 200);
  await until("it is ended there", () => isEnded(authorization, anna));
});
