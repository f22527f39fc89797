import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import t, { type Test } from "tap";
import { freePort } from "../../helpers/daemon.ts";
import { until } from "../../helpers/until.ts";
import { factsOf } from "../../helpers/engine-facts.ts";
import { says, tinyToolServer } from "./tiny-tool-server.ts";
import { real, serverBench } from "./tool-server-bench.ts";

async function everything(t: Test, mode: "streamableHttp" | "sse", port: number): Promise<ChildProcess> {
  const { command, args } = real("everything", mode);
  const child = spawn(command, args, { env: { PORT: String(port) }, stdio: "ignore" });
  t.teardown(() => child.kill("SIGKILL"));
  await until("it listens", () => listens(port), 30_000);
  return child;
}

function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

t.test("the reference server works over streamable HTTP, and reconnects after a loss", async (t) => {
  const port = await freePort();
  const first = await everything(t, "streamableHttp", port);
  const bench = serverBench(t);
  await bench.load({ remote: { type: "http", url: `http://127.0.0.1:${port}/mcp` } });
  t.match(await bench.status("remote", "ready"), { transport: "http" });
  t.same(await bench.call("mcp__remote__echo", { message: "far" }), { output: "Echo: far", error: null });
  let signs = 0;
  const long = { duration: 1, steps: 3 };
  const worked = await bench.call("mcp__remote__trigger-long-running-operation", long, { progress: () => signs++ });
  t.match(worked, { output: /completed/, error: null });
  t.ok(signs > 0, "progress comes over HTTP too");
  const tools = bench.servers.tools();

  first.kill("SIGKILL");
  await once(first, "exit");
  t.match(await bench.call("mcp__remote__echo", { message: "gone" }), { output: null, error: /remote/ });
  await until("the loss is told", () => bench.servers.list().servers[0]?.status !== "ready", 45_000);
  await everything(t, "streamableHttp", port);
  await bench.status("remote", "ready");
  t.same(await bench.call("mcp__remote__echo", { message: "back" }), { output: "Echo: back", error: null });
  t.equal(bench.servers.tools(), tools);
});

t.test("a server of the older HTTP+SSE transport is detected", async (t) => {
  const port = await freePort();
  await everything(t, "sse", port);
  const bench = serverBench(t);
  await bench.load({
    named: { type: "sse", url: `http://127.0.0.1:${port}/sse` },
    guessed: { url: `http://127.0.0.1:${port}/sse` },
  });
  t.match(await bench.status("named", "ready"), { transport: "sse" });
  await bench.status("guessed", "ready");
  for (const name of ["named", "guessed"])
    t.match(await bench.call(`mcp__${name}__echo`, { message: "old" }), { output: "Echo: old", error: null });
});

t.test("headers are sent with every request, and are never disclosed", async (t) => {
  const { url, seen } = await tinyToolServer(t, (response, id) => {
    const result = { content: [{ type: "text", text: "hello" }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const bench = serverBench(t, { environment: { CITY: "secret-city" } });
  await bench.load({ tiny: { url, headers: { Authorization: "Bearer ${CITY}" } } });
  await bench.status("tiny", "ready");
  t.same(await bench.call("mcp__tiny__speak"), { output: "hello", error: null });
  t.ok(seen.every(({ headers }) => headers.authorization === "Bearer secret-city"));
  t.notMatch(JSON.stringify(bench.servers.list()), /secret-city/);
  t.notMatch(bench.log.join(""), /secret-city/);
});

t.test("a remote server hears of which user, task and agent each call is, and listings of no task", async (t) => {
  const { url, seen } = await tinyToolServer(t, says("hello"));
  const bench = serverBench(t, { engine: factsOf("anna", { tier: "gold" }) });
  const headers = { "X-User": "{{user_id}} {{user.tier}}", "X-Task": "{{task_id}}", "X-Agent": "{{agent}}" };
  await bench.load({ tiny: { url, headers } });
  await bench.status("tiny", "ready");
  t.ok(seen.every(({ headers: sent }) => sent["x-user"] === "anna gold" && sent["x-task"] === undefined));
  const first = seen.length;
  for (const agent of ["coder", "writer"])
    t.same(await bench.call("mcp__tiny__speak", {}, { agent, taskId: `of ${agent}` }), {
      output: "hello",
      error: null,
    });
  const calls = seen.slice(first).map(({ headers: sent }) => [sent["x-task"], sent["x-agent"], sent["x-user"]]);
  t.same(calls, [
    ["of coder", "coder", "anna gold"],
    ["of writer", "writer", "anna gold"],
  ]);
  const broken = await bench.call("mcp__tiny__speak", {}, { taskId: "a\r\nX-Evil: 1" });
  t.match(broken, { error: /a value is not valid in the header X-Task/ });
  t.equal(seen.length, first + 2, "nothing was sent");
});

t.test("a flood of notifications over HTTP is limited, and lists the tools at most once a second", async (t) => {
  const line = (message: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
  const since = Date.now();
  const { url, seen } = await tinyToolServer(t, (response, id) => {
    const params = { progressToken: id, progress: 1 };
    const flood = ["progress", "tools/list_changed"].map((kind) => line({ method: `notifications/${kind}`, params }));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(flood.join("").repeat(10_000));
    response.end(line({ id, result: { content: [{ type: "text", text: "done" }] } }));
  });
  const bench = serverBench(t);
  await bench.load({ tiny: { url } });
  await bench.status("tiny", "ready");
  const before = seen.length;
  let signs = 0;
  t.same(await bench.call("mcp__tiny__speak", {}, { progress: () => signs++ }), { output: "done", error: null });
  t.ok(signs > 0 && signs < 5000, `${signs} signs of life`);
  await until("it is listed again", () => seen.length > before + 1);
  t.ok(seen.length - before < 5 + (Date.now() - since) / 1000, `${seen.length - before} requests`);
});

t.test("an endless HTTP response fails only its call", async (t) => {
  const pour = (response: ServerResponse) => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };
  let kind = "application/json";
  const { url } = await tinyToolServer(t, (response) => pour(response.writeHead(200, { "content-type": kind })));
  const bench = serverBench(t, { timeoutMs: 2000 });
  await bench.load({ tiny: { url } });
  await bench.status("tiny", "ready");
  const before = process.memoryUsage().rss;
  t.match(await bench.call("mcp__tiny__speak"), { output: null, error: /longer than 10485760/ });
  kind = "text/event-stream";
  t.match(await bench.call("mcp__tiny__speak"), { output: null, error: /TIMEOUT/ });
  t.ok(process.memoryUsage().rss - before < 300 * 1024 * 1024);
  await bench.status("tiny", "ready");
});

t.test("an address without an MCP server fails with the reason", async (t) => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const bench = serverBench(t);
  const port = await freePort();
  await bench.load({
    page: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    nobody: { url: `http://127.0.0.1:${port}` },
  });
  t.match(await bench.status("page", "failed"), { error: /content type: text\/html/i });
  t.match(await bench.status("nobody", "failed"), { error: /ECONNREFUSED/ });
});
