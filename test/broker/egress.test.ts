import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, createServer, request as requestHttp } from "node:http";
import { type AddressInfo, type Socket, createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import root from "tap";
import { serveBroker } from "../../src/broker/serve-broker.ts";
import {
  EGRESS_CALL_PATH,
  EGRESS_TARGET_HEADER,
  EGRESS_TUNNEL_HEADER,
} from "../../src/contract/broker/egress-calls.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import type { AnswerTo } from "../../src/contract/broker/questions.ts";
import { ENGINE_KEY_HEADER, SECRET_REFUSED_HEADER, encodeUrl } from "../../src/contract/broker/secret-calls.ts";
import { startAnsweringDaemon } from "../helpers/answering-daemon.ts";

/** Loopback is the broker's own, and closed. */
const host = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
if (host === undefined) root.plan(0, "needs a network besides loopback");
else await brokerTests(host);

async function brokerTests(host: string): Promise<void> {
  const site = createServer((request, response) => {
    void text(request).then((body) => {
      const { url, method, headers } = request;
      response.end(JSON.stringify({ url, method, headers, body }));
    });
  }).listen(0, host);
  /** Sends back what it gets, in capitals. */
  const shouting = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy()).on("data", (part) => socket.write(part.toString().toUpperCase()));
  }).listen(0, host);
  await Promise.all([site, shouting].map((server) => once(server, "listening")));
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  const standings: Readonly<Record<string, AnswerTo<"engine">["tool_network"] | null>> = {
    listed: [host, "127.0.0.1"],
    open: "open",
    none: "none",
    stopped: null,
  };
  const daemon = await startAnsweringDaemon(root, {
    engine: ({ engine }) => ({
      is_current: standings[engine] !== null,
      has_budgets: false,
      tool_network: standings[engine] ?? "none",
    }),
  });
  const sealingKey = randomBytes(32);
  const server = await serveBroker({
    sealing_key: sealingKey.toString("base64"),
    build: "",
    listen: { host: "127.0.0.1", port: 0 },
    confine: false,
    extra_ca_certs: null,
    daemon_url: daemon.url,
  });
  root.teardown(() => {
    server.closeAllConnections();
    site.closeAllConnections();
    for (const one of [server, site, shouting]) one.close();
  });
  const broker = { host: "127.0.0.1", port: portOf(server) };
  const keyOf = (engine: string) => sealEngineKey(sealingKey, { engine, incarnation: "i" });
  const siteUrl = `http://${host}:${portOf(site)}/path?query=1`;

  async function send(engine: string, target: string, body = ""): Promise<IncomingMessage> {
    const sent = requestHttp({
      ...broker,
      method: "POST",
      path: EGRESS_CALL_PATH,
      headers: {
        [ENGINE_KEY_HEADER]: keyOf(engine),
        [EGRESS_TARGET_HEADER]: encodeUrl(target),
        authorization: "Bearer of-the-catalog",
      },
    });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer;
  }
  /** The status of a CONNECT, and the connection. */
  async function open(key: string, authority: string): Promise<{ status: number | undefined; socket: Socket }> {
    const headers = { [ENGINE_KEY_HEADER]: key, [EGRESS_TUNNEL_HEADER]: "1" };
    const sent = requestHttp({ ...broker, method: "CONNECT", path: authority, headers, agent: false });
    sent.end();
    const [{ statusCode: status }, socket] = (await once(sent, "connect")) as [IncomingMessage, Socket];
    root.teardown(() => socket.destroy());
    return { status, socket };
  }

  await root.test("a request goes on to a permitted host as it is, without what is for the broker", async (t) => {
    const placeholder = "orchsec_TOKEN.mLcQ86UEE6nybL596toIet";
    const answer = await send("listed", siteUrl, placeholder);
    const seen = JSON.parse(await text(answer));
    t.match(seen, { url: "/path?query=1", method: "POST", body: placeholder });
    t.match(seen.headers, { host: new URL(siteUrl).host, authorization: "Bearer of-the-catalog" });
    t.notMatch(Object.keys(seen.headers).join(), /x-orchd/);
  });

  await root.test("a host that tool_network does not permit is refused, and so is the broker itself", async (t) => {
    const refusals: readonly (readonly [engine: string, target: string, status: number, reason: RegExp])[] = [
      ["open", siteUrl, 403, /is not on the public internet/],
      ["none", siteUrl, 403, /tool_network is "none"/],
      ["listed", "http://api.example.com/", 403, /tool_network does not list it/],
      ["listed", `http://127.0.0.1:${broker.port}/health`, 403, /an address of the broker itself/],
      ["stopped", siteUrl, 401, /has ended/],
      ["listed", "ftp://example.com/", 400, /expected a URL/],
    ];
    for (const [engine, target, status, reason] of refusals) {
      const answer = await send(engine, target);
      t.equal(answer.statusCode, status, `${engine} ${target}`);
      t.equal(answer.headers[SECRET_REFUSED_HEADER], "1");
      t.match(await text(answer), reason);
    }
  });

  await root.test("a tunnel leads to a permitted host, and to no other", async (t) => {
    const authority = `${host}:${portOf(shouting)}`;
    const { status, socket } = await open(keyOf("listed"), authority);
    t.equal(status, 200);
    socket.write("hello");
    t.equal(String((await once(socket, "data"))[0]), "HELLO");
    const refused = [
      [keyOf("open"), authority, 403],
      [keyOf("listed"), `127.0.0.1:${broker.port}`, 403],
      [keyOf("stopped"), authority, 401],
      ["a key of nobody", authority, 401],
      [keyOf("listed"), host, 400],
    ] as const;
    for (const [key, to, expected] of refused) t.equal((await open(key, to)).status, expected, `${to} ${expected}`);
  });

  await root.test("an engine has a limited number of tunnels, which ends with them", async (t) => {
    const authority = `${host}:${portOf(shouting)}`;
    const key = sealEngineKey(sealingKey, { engine: "listed", incarnation: "many" });
    const opened = await Promise.all(Array.from({ length: 300 }, () => open(key, authority)));
    const [first] = opened.filter(({ status }) => status === 200);
    t.equal(opened.filter(({ status }) => status === 429).length, 300 - 256 + 1, "one is open since before");
    t.equal((await open(key, authority)).status, 429);
    first?.socket.destroy();
    for (let status: number | undefined = 429; status === 429;) ({ status } = await open(key, authority));
    t.pass("another one opens");
  });
}
