import t from "tap";
import { trustCertificates } from "../../src/broker/trust-certificates.ts";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { freePort } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { testAuthority } from "../helpers/secret-host.ts";
import { startTlsFront } from "../helpers/tls-front.ts";
import { openLoginFleet, resultsOf, signInBy } from "../helpers/tool-logins.ts";
import { until } from "../helpers/until.ts";

t.test("an authorization server that reads documents of clients knows this deployment by its own", async (t) => {
  const { certificates, identityOf } = testAuthority(freshFolder(t, "orchd-login-documents"));
  await trustCertificates(certificates);
  const [port, tlsPort] = [await freePort(), await freePort()];
  await startTlsFront(t, { port: tlsPort, to: port, identity: identityOf("127.0.0.1") });
  const authorization = await startAuthorizationServer(t, {
    // Each use of a login renews it.
    accessTokenS: 30,
    change: (same) => ({
      ...same,
      features: { ...same.features, clientIdMetadataDocument: { enabled: true, ack: "draft-02" } },
      // The server's own refuses loopback.
      fetch: (url, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown } = {}) => fetch(url, options),
    }),
  });
  const publicUrl = `https://127.0.0.1:${tlsPort}`;
  const fleet = await openLoginFleet(t, { authorization, port, env: { ORCH_PUBLIC_URL: publicUrl } });
  const signIn = async (user: string) => {
    const { body } = await fleet.platform("POST", `/engines/${user}/connections/guarded`);
    return signInBy(body.url, user);
  };
  const clientsOf = (user: string) =>
    [...authorization.records.values()].filter(({ accountId }) => accountId === user).map(({ clientId }) => clientId);
  const documentUrl = `${publicUrl}/oauth/client.json`;

  const behind = await fleet.provision("anna");
  const anna = fleet.sleeper({ ...behind, url: behind.url.replace(publicUrl, fleet.publicUrl) });
  t.match(await signIn("anna"), { status: 200, text: /Signed in/ });
  t.notOk(authorization.called.includes("/reg"), "no client was registered");
  t.same([...new Set(clientsOf("anna").filter(Boolean))], [documentUrl]);
  const before = authorization.called.filter((path) => path === "/token").length;
  await until(
    "the server is connected",
    async () => (await anna.call("/assets/servers")).body.servers[0]?.status === "ready",
  );
  await (await anna.execute("t1", "/tool mcp__guarded__whoami {}\n/say done")).all();
  t.match(await resultsOf(anna, "t1"), [{ output: "you are anna", error: null }]);
  t.ok(authorization.called.filter((path) => path === "/token").length > before, "renewed by the same client");
  t.match(await fleet.platform("DELETE", "/engines/anna/connections/guarded"), { body: { revoked: true } });

  // Without TLS nobody may read it.
  await fleet.daemon.stop();
  await fleet.restart({ ORCH_PUBLIC_URL: fleet.publicUrl });
  await fleet.provision("ben");
  t.match(await signIn("ben"), { status: 200, text: /Signed in/ });
  t.ok(authorization.called.includes("/reg"), "a client was registered");
});
