import { once } from "node:events";
import { createServer, request } from "node:http";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { signInHeaders } from "../helpers/console.ts";
import { type Daemon, freePort } from "../helpers/daemon.ts";
import { CookieJar, startIdp } from "../helpers/identity-provider.ts";
import { openReplicas } from "../helpers/replicas.ts";

/** A leader that is killed. */
const TAKEOVER_MS = 10_000;

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const [begin, callback] = [`${url}/console/sign-in/begin`, `${url}/console/sign-in/callback`];
const people = { "u-anna": { name: "Anna", groups: ["platform"] } };
const idp = await startIdp(t, { consoleUrl: `${url}/console/`, people });
const replicas = await openReplicas(t, { products: [], env: idp.env(url) });
const [first, second] = [await replicas.start(), await replicas.start()];

/** The load balancer in front of the replicas: which one gets the next call is the test's choice. */
let target: Daemon = first;
const server = createServer(({ url: path = "/", method, headers }, response) => {
  const { port: to } = new URL(target.url);
  const passed = request({ port: to, path, method, headers: { ...headers, connection: "close" } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  passed.end();
});
server.listen(port, "127.0.0.1");
await once(server, "listening");
t.teardown(() => server.close());
const sendTo = (daemon: Daemon) => (target = daemon);
const sessionOf = (jar: CookieJar) => {
  const cookie = [...jar.of(url)].map((pair) => pair.join("=")).join("; ");
  return ask(second.url, "/console/session", { headers: { ...signInHeaders(second.url), cookie } });
};

t.test("a sign-in that begins at one replica is finished at another", async (t) => {
  for (const [from, to] of [
    [first, second],
    [second, first],
  ] as const) {
    const jar = new CookieJar();
    sendTo(from);
    const at = await jar.signInAs("u-anna", begin, callback);
    sendTo(to);
    t.equal((await jar.fetch(at)).headers.get("location"), "../#signed-in=%2F");
    t.match(await sessionOf(jar), { status: 200, body: { role: "admin", person: { subject: "u-anna" } } });
  }
  t.match((await ask(second.url, "/console/sign-in")).body, { oidc: { url: begin } }, "a follower says how");
});

t.test("a sign-in goes on when the leader dies between the redirect and the callback", async (t) => {
  const jar = new CookieJar();
  const at = await jar.signInAs("u-anna", begin, callback);
  await first.stop("SIGKILL");
  sendTo(second);
  await replicas.awaitLeader(TAKEOVER_MS);
  t.equal((await jar.fetch(at)).headers.get("location"), "../#signed-in=%2F");
  t.match(await sessionOf(jar), { status: 200, body: { opened_by: "oidc" } });
});
