import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import type { ToolNetworkPolicy } from "../../../../src/contract/orchestrator/records.ts";
import { WORDS } from "../../../../src/engine/isolation/sandbox-host.ts";
import { EgressRules } from "../../../../src/sandbox/proxy/egress-rules.ts";
import { isPublicAddress } from "../../../../src/sandbox/proxy/public-address.ts";
import { fetchUrl } from "../../../../src/engine/tools/web/fetch-url.ts";
import { toolBench } from "../../../helpers/tool-context.ts";

/** Stands for the public internet; 127.0.0.1 is as private as ever. */
const PUBLIC = "127.0.0.2";
const network = (
  names: Record<string, readonly (readonly string[])[]> = {},
  toolNetwork: ToolNetworkPolicy = "open",
) => {
  const asked: string[] = [];
  const rules = new EgressRules({
    connect: toolNetwork,
    listen: [],
    words: WORDS,
    isPublic: (address) => address === PUBLIC || isPublicAddress(address),
    async resolve(hostname) {
      const answers = names[hostname] ?? [[PUBLIC]];
      asked.push(hostname);
      const answer = answers[Math.min(asked.filter((name) => name === hostname).length, answers.length) - 1] ?? [];
      return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  return { asked, rules };
};

async function serve(t: Test, answer: RequestListener, host = PUBLIC) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host}${request.url}`);
    answer(request, response);
  }).listen(0, host);
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

function bench(t: Test, net = network()) {
  const { run } = toolBench(t);
  const tool = fetchUrl(net.rules);
  return (url: string, more = {}, context = {}) => run(tool, { url, ...more }, context);
}

t.test("a page comes as text, labelled as data from outside", async (t) => {
  const { port, seen } = await serve(t, (_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<title>A &amp; B</title><h1>Hello</h1><p>one <a href='/x'>two</a><script>evil()</script>");
  });
  const { output, error } = await bench(t)(`http://shop.example:${port}/p?q=1#frag`);
  t.equal(error, null);
  t.match(output, {
    source: /data/,
    url: `http://shop.example:${port}/p?q=1`,
    status: 200,
    content_type: "text/html; charset=utf-8",
    title: "A & B",
    text: `# Hello\n\none two (http://shop.example:${port}/x)`,
  });
  t.same(seen, [`GET shop.example:${port}/p?q=1`]);
});

t.test("HEAD returns no body, and an error page is a result", async (t) => {
  const { port, seen } = await serve(t, (_request, response) => {
    response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
  });
  const fetch = bench(t);
  const head = await fetch(`http://a.example:${port}/`, { method: "HEAD" });
  t.match(head.output, { status: 404, content_type: "text/plain" });
  t.notOk("text" in (head.output as object));
  t.match((await fetch(`http://a.example:${port}/`)).output, { status: 404, text: "nothing here" });
  t.match(seen, [/^HEAD/, /^GET/]);
});

t.test("private addresses are refused before a connection", async (t) => {
  const { port, seen } = await serve(t, (_request, response) => response.end("secret"), "127.0.0.1");
  const fetch = bench(
    t,
    network({ "inside.example": [["10.0.0.7"]], "mixed.example": [[PUBLIC, "127.0.0.1"]], "none.example": [[]] }),
  );
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "①②⑦.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[fd00:ec2::254]",
    "169.254.169.254",
    "10.1.2.3",
    "inside.example",
    "mixed.example",
    "none.example",
  ]) {
    const { output, error } = await fetch(`http://${host}:${port}/`);
    t.equal(output, null);
    t.match(error, /refused: it is not on the public internet/, host);
  }
  t.same(seen, []);
});

t.test("names of this host are refused by default", async (t) => {
  const { port, seen } = await serve(t, (_request, response) => response.end("secret"), "127.0.0.1");
  const { run } = toolBench(t);
  t.match(
    (
      await run(fetchUrl(new EgressRules({ connect: "open", listen: [] })), {
        url: `http://localhost:${port}/`,
      })
    ).error,
    /refused/,
  );
  t.same(seen, []);
});

t.test("DNS rebinding is not possible: a name is resolved once", async (t) => {
  const inside = await serve(t, (_request, response) => response.end("secret"), "127.0.0.1");
  const { seen } = await serve(t, (_request, response) => response.end("public"));
  const net = network({ "rebind.example": [[PUBLIC], ["127.0.0.1"]] });
  const { error } = await bench(t, net)(`http://rebind.example:${inside.port}/`);
  t.match(error, /ECONNREFUSED/, "the port is open on the private address only");
  t.same(net.asked, ["rebind.example"]);
  t.same([...inside.seen, ...seen], []);
});

t.test("each redirect is checked like the first address", async (t) => {
  const inside = await serve(t, (_request, response) => response.end("secret"), "127.0.0.1");
  const targets: Record<string, string> = {
    "/ip": `http://127.0.0.1:${inside.port}/`,
    "/name": `http://inside.example:${inside.port}/`,
    "/metadata": "http://169.254.169.254/latest/meta-data/",
    "/file": "file:///etc/passwd",
    "/keys": "http://user:secret@shop.example/",
    "/gopher": "gopher://shop.example/",
    "/broken": "http://[",
    "/loop": "/loop",
    "/again": "/name",
    "/rebind": `http://shop.example:${inside.port}/`,
  };
  const { port } = await serve(t, (request, response) => {
    const step = /^\/step(\d)$/.exec(request.url ?? "")?.[1];
    if (step === "5") response.end("arrived");
    else response.writeHead(302, { location: step ? `/step${Number(step) + 1}` : targets[request.url ?? ""] }).end();
  });
  const net = network({ "inside.example": [["10.0.0.7"]] });
  const fetch = bench(t, net);
  const errors = Object.fromEntries(
    await Promise.all(
      Object.keys(targets).map(async (path) => [path, (await fetch(`http://shop.example:${port}${path}`)).error]),
    ),
  );
  t.match(errors, {
    "/ip": /refused/,
    "/name": /refused/,
    "/metadata": /refused/,
    "/file": /neither http nor https/,
    "/keys": /credentials/,
    "/gopher": /neither/,
    "/broken": /not a valid URL/,
    "/loop": /more than 5 times/,
    "/again": /refused/,
    "/rebind": /ECONNREFUSED/,
  });
  t.same(inside.seen, []);
  t.match((await fetch(`http://shop.example:${port}/step0`)).output, { url: /step5$/, text: "arrived" });
});

t.test("a compressed body is decoded up to the limit", async (t) => {
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, "x"));
  const answers: Record<string, [string, Buffer]> = {
    "/gzip": ["gzip", gzipSync("héllo")],
    "/deflate": ["deflate", deflateSync("héllo")],
    "/br": ["br", brotliCompressSync("héllo")],
    "/bomb": ["gzip", bomb],
    "/broken": ["gzip", Buffer.from("no gzip at all")],
    "/cut": ["gzip", gzipSync("x".repeat(9999)).subarray(0, 30)],
    "/twice": ["gzip, gzip", gzipSync(gzipSync("x"))],
    "/odd": ["constructor", Buffer.from("x")],
  };
  const { port } = await serve(t, (request, response) => {
    const [encoding, body] = answers[request.url ?? ""] ?? ["identity", Buffer.alloc(12 * 1024 * 1024, "y")];
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-encoding": encoding }).end(body);
  });
  const fetch = bench(t);
  const of = (path: string) => fetch(`http://shop.example:${port}${path}`, {}, { toolCallId: path });
  for (const path of ["/gzip", "/deflate", "/br"])
    t.match(await of(path), { output: { text: "héllo" }, error: null }, path);
  for (const path of ["/bomb", "/plain"]) {
    const { output } = (await of(path)) as { output: { truncated: boolean; text: string } };
    t.equal(output.truncated, true, path);
    t.match(output.text, new RegExp(`${5 * 1024 * 1024 - 20_000} more characters`));
  }
  for (const path of ["/broken", "/cut"]) t.match((await of(path)).error, /cannot be fetched \(Z_/, path);
  for (const path of ["/twice", "/odd"]) t.match((await of(path)).error, /encoding/, path);
});

t.test("silent, invalid and closed connections fail within the timeout", async (t) => {
  const raw = async (answer: string, end: boolean) => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(answer);
      if (end) socket.end();
    }).listen(0, PUBLIC);
    await once(server, "listening");
    t.teardown(() => server.close());
    server.unref();
    return `http://shop.example:${(server.address() as AddressInfo).port}/`;
  };
  const fetch = bench(t);
  t.match((await fetch(await raw("not http at all\r\n\r\n", true))).error, /cannot be fetched \(HPE_/);
  t.match((await fetch(await raw("", true))).error, /cannot be fetched \(ECONNRESET/);
  t.match(
    (await fetch(await raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", true))).error,
    /cannot be fetched/,
  );
  t.match((await fetch(await raw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`, true))).error, /HPE_HEADER/);
  const silent = { ...fetchUrl(network().rules), timeoutMs: () => 200 };
  const { run } = toolBench(t);
  t.match((await run(silent, { url: await raw("", false) })).error, /^TIMEOUT/);
  t.match((await run(silent, { url: await raw("HTTP/1.1 200 OK\r\n\r\nsome", false) })).error, /^TIMEOUT/);
});

t.test("binary content is not shown, and text is decoded by its charset", async (t) => {
  const { port } = await serve(t, (request, response) => {
    const answers: Record<string, [string, Buffer]> = {
      "/image": ["image/png", Buffer.from([137, 80, 78, 71])],
      "/nul": ["text/plain", Buffer.from("a\0b")],
      "/latin": ["text/plain; charset=iso-8859-1", Buffer.from("caf\xe9", "latin1")],
      "/meta": ["text/html", Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8', "latin1")],
      "/unknown": ["text/plain; charset=klingon", Buffer.from("é")],
      "/json": ["application/problem+json", Buffer.from('{"a":1}')],
      "/hidden": ["text/plain", Buffer.from("a\u{E0069}\u{E0067}b")],
    };
    const [type, body] = answers[request.url ?? ""] ?? ["", Buffer.alloc(0)];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  const fetch = bench(t);
  const of = async (path: string) => (await fetch(`http://shop.example:${port}${path}`)).output;
  t.match(await of("/image"), { note: "not a text", bytes: 4 });
  t.match(await of("/nul"), { note: "not a text" });
  t.match(await of("/latin"), { text: "café" });
  t.match(await of("/meta"), { text: "При" });
  t.match(await of("/unknown"), { text: "é" });
  t.match(await of("/json"), { text: '{"a":1}' });
  t.match(await of("/hidden"), { text: "ab" });
});

t.test("invalid URLs are refused with a reason", async (t) => {
  const fetch = bench(t);
  for (const url of [
    "",
    "nonsense",
    "file:///etc/passwd",
    "ftp://a.example/",
    "javascript:1",
    "http://",
    "http://u:p@a.example/",
    "//a.example/",
    "data:text/plain,x",
  ]) {
    const { output, error } = await fetch(url);
    t.equal(output, null);
    t.ok(error, url);
  }
  t.match((await fetch("http://a.example/", { method: "POST" })).error, /invalid arguments: method/);
  const unknown = Object.assign(new Error("no"), { code: "ENOTFOUND" });
  const rules = new EgressRules({ connect: "open", listen: [], resolve: () => Promise.reject(unknown) });
  const failing = { ...network(), rules };
  t.match((await bench(t, failing)("http://nowhere.example/")).error, /cannot be fetched \(ENOTFOUND\)/);
});

t.test("only hosts of the policy are fetched, and no other name is resolved", async (t) => {
  const { port } = await serve(t, (_request, response) => response.end("fine"));
  const listed = network({ "inside.example": [["127.0.0.1"]] }, ["*.shop.example", "inside.example"]);
  const fetch = bench(t, listed);
  t.match((await fetch(`http://a.shop.example:${port}/`)).output, { text: "fine" });
  t.match((await fetch(`http://other.example:${port}/`)).error, /tool_network does not list it/);
  t.match((await fetch(`http://inside.example:${port}/`)).error, /not on the public internet/);
  t.same(listed.asked, ["a.shop.example", "inside.example"]);
  t.match((await bench(t, network({}, "none"))(`http://a.example:${port}/`)).error, /tool_network is "none"/);
});
