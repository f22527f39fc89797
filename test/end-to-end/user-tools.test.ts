import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { says, tinyToolServer } from "../engine/mcp/tiny-tool-server.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { ask } from "../helpers/api.ts";

interface Call {
  readonly url: string | undefined;
  readonly tier: string | string[] | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

t.test("tools of a product know the user of each engine, and no argument of a model changes that", async (t) => {
  const calls: Call[] = [];
  const shop = createServer((request, response) => {
    void text(request).then((body) => {
      calls.push({ url: request.url, tier: request.headers["x-tier"], body: JSON.parse(body) });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  t.teardown(() => shop.close());
  const { port } = shop.address() as AddressInfo;
  const fleet = await openFleet(t, { policy: { tool_network: [`127.0.0.1:${port}`] } });
  const remote = await tinyToolServer(t, says("from afar"));
  const order = {
    description: "Orders an article for the user.",
    parameters: { type: "object", properties: { article: { type: "string" } } },
    http: {
      method: "POST",
      url: `http://127.0.0.1:${port}/users/{{user_id}}/orders`,
      headers: { "X-Tier": "{{user.tier}}" },
      body: {
        article: "{{article}}",
        engine: "{{engine_id}}",
        task: "{{task_id}}",
        turn: "{{turn_id}}",
        by: "{{agent}}",
      },
    },
    permission: "allow",
  };
  const headers = { "X-User": "{{user_id}} {{user.tier}}", "X-Task": "{{task_id}}" };
  const mcpServers = { far: { url: remote.url, headers, permissions: { "*": "allow" } } };
  const push = async (files: Readonly<Record<string, object>>) => {
    const texts = Object.entries(files).map(([path, file]) => [path, JSON.stringify(file)]);
    const body = await catalogArchive(Object.fromEntries(texts));
    const key = { "x-platform-key": fleet.platformKey };
    return ask(fleet.daemon.url, "/catalog", { method: "PUT", headers: key, body });
  };
  const refused = await push({
    "tools/order.json": { ...order, http: { ...order.http, url: "https://{{user_id}}.example/" } },
    ".mcp.json": { mcpServers: { far: { url: remote.url, headers: { "X-A": "{{user_name}}" } } } },
  });
  t.match(refused, { status: 422, body: { error: { code: "CATALOG_INVALID" } } });
  t.match(refused.text, /tools\/order\.json[^]*http\.url: expected http/);
  t.match(refused.text, /mcpServers\.far\.headers\.X-A: unknown placeholder \{\{user_name\}\}/);
  t.equal((await push({ "tools/order.json": order, ".mcp.json": { mcpServers } })).status, 200);

  const anna = await fleet.provision("anna");
  await fleet.platform("PATCH", "/engines/anna", { metadata: { tier: "gold", seats: 3 } });
  const forged = { article: "lamp", user_id: "bob", engine_id: "eng_x", "user.tier": "admin", task_id: "other" };
  const message = `/tool order ${JSON.stringify(forged)}\n/tool mcp__far__speak ${JSON.stringify(forged)}\n/say done`;
  await (await anna.execute("t1", message)).all();
  t.match(calls, [
    {
      url: "/users/anna/orders",
      tier: undefined,
      body: { article: "lamp", engine: anna.id, task: "t1", by: "default" },
    },
  ]);
  t.match(calls[0]?.body["turn"], /^turn_/);
  await anna.sleep();
  await (await anna.execute("t2", message)).all();
  t.match(
    calls[1],
    { url: "/users/anna/orders", tier: "gold", body: { task: "t2" } },
    "metadata come with the next start",
  );
  const sent = remote.seen.filter((request) => request.headers["x-task"] !== undefined);
  t.same(
    sent.map((request) => [request.headers["x-user"], request.headers["x-task"]]),
    [
      [undefined, "t1"],
      ["anna gold", "t2"],
    ],
    "the tool server too; without a tier its header is left out",
  );
});
