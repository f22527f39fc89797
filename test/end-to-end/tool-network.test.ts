import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { type Answer, ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const dataDir = freshFolder(t);
const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t) });
t.teardown(() => daemon.admin("/products/shop?force=true", { method: "DELETE" }));

const site = createServer((_request, response) => response.end("hello from inside")).listen(0, "127.0.0.1");
await once(site, "listening");
t.teardown(() => site.close());
const { port } = site.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/`;

const setPolicy = (body: unknown): Promise<Answer> => daemon.admin("/products/shop/policy", { method: "PUT", body });

t.test("tools cannot listen on the ports of engines", async (t) => {
  const { body: status } = await daemon.admin("/admin/status");
  const policy = { tool_listen: [3000, status.ports.min] };
  const refused = await daemon.admin("/products/register", { method: "POST", body: { slug: "taken", policy } });
  t.match(refused.body.error.message, /^policy\.tool_listen\.1: expected a port outside \d+ to \d+, which engines use/);
  t.equal((await daemon.admin("/products/register", { method: "POST", body: { slug: "taken" } })).status, 201);
  const changed = await daemon.admin("/products/taken/policy", { method: "PUT", body: policy });
  t.match(changed, { status: 400, body: { error: { code: "INVALID_REQUEST", message: /^tool_listen\.1: / } } });
});

t.test("a policy decides at the next start what commands, fetch_url and declared tools reach", async (t) => {
  const { body: product } = await daemon.admin("/products/register", {
    method: "POST",
    body: { slug: "shop", policy: { tool_network: ["Shop.Example.", `127.0.0.1:${port}`], tool_listen: [3999] } },
  });
  t.match(product.policy, { tool_network: ["shop.example", `127.0.0.1:${port}`], tool_listen: [3999], disk_mb: 2048 });
  const key = product.platform_api_key as string;
  const post = (path: string, body: unknown) => daemon.platform(key, path, { method: "POST", body });
  const { body: engine } = await post("/engines/provision", { user_id: "alice" });
  const call = (path: string, body?: unknown) =>
    ask(engine.url, path, {
      headers: { "x-engine-key": engine.engine_api_key },
      ...(body !== undefined && { method: "POST", body }),
    });
  const tools = join(dataDir, "engines", engine.id, "catalog", "tools");
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, "inside.json"), JSON.stringify({ description: "Says hello.", http: { url } }));
  let turns = 0;
  /** Calls a tool in a turn of its own; allows it when it asks. */
  const result = async (tool: string, input: object): Promise<string> => {
    const message = `/tool ${tool} ${JSON.stringify(input)}\n/say done`;
    const turn = call("/execute", { task_id: `t${++turns}`, message });
    let ended = false;
    void turn.finally(() => (ended = true));
    await until("the turn ends", async () => {
      const { body } = await call("/hitl/pending");
      for (const { request_id } of body.requests) await call("/hitl/respond", { request_id, answer: "allow_once" });
      return ended;
    });
    const [, data = ""] = /^event: tool_result\ndata: (.*)$/m.exec((await turn).text) ?? [];
    return data;
  };
  t.equal((await call("/admin/reload-catalog", {})).status, 200);
  const curl = (host: string) => ({ command: `curl -sS -m 20 ${host}` });
  t.match(await result("run_command", curl(url)), /hello from inside/);
  t.match(await result("fetch_url", { url }), /hello from inside/);
  t.match(await result("inside", {}), /hello from inside/);
  t.match(await result("run_command", curl(`http://127.0.0.1:${engine.port}/health`)), /tool_network does not list it/);
  t.match(await result("run_command", curl("https://other.example/")), /other\.example:443 is refused/);
  t.match(await result("fetch_url", { url: "http://169.254.169.254/" }), /tool_network does not list it/);

  t.match((await setPolicy({ tool_network: "none" })).body.policy, { tool_network: "none" });
  t.match(await result("fetch_url", { url }), /hello from inside/, "not before the next start");
  t.equal((await post("/engines/alice/stop", {})).status, 200);
  t.equal((await post("/engines/alice/start", {})).status, 200);
  t.match(await result("fetch_url", { url }), /tool_network is \\"none\\"/);
  t.match(await result("inside", {}), /tool_network is \\"none\\"/);
  t.notMatch(await result("run_command", { command: "env" }), /proxy=/i);

  t.equal((await setPolicy({ tool_network: "open", tool_listen: [] })).status, 200);
  t.equal((await post("/engines/alice/stop", {})).status, 200);
  t.equal((await post("/engines/alice/start", {})).status, 200);
  t.match(await result("run_command", curl(url)), /is not on the public internet/);
  t.match(await result("inside", {}), /is not on the public internet/);
});
