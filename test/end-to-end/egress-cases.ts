import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { says, tinyToolServer } from "../engine/mcp/tiny-tool-server.ts";
import { until } from "../helpers/until.ts";
import type { SecretPlace } from "./secret-cases.ts";
import { toolTurns } from "./tool-turns.ts";

/** The broker keeps what the daemon says for ten seconds. */
const FRESH_MS = 30_000;

/** What tools reach by the broker where that is the only way out, on any backend. */
export async function egressCases(
  t: Test,
  place: Pick<SecretPlace, "base" | "host" | "user" | "engine" | "platform" | "setPolicy" | "push">,
): Promise<void> {
  const { host, setPolicy, push } = place;
  const { callTool, restart } = toolTurns(place);
  const site = createServer((_, response) => response.end("hello from inside")).listen(0, host);
  await once(site, "listening");
  t.teardown(() => (site.closeAllConnections(), site.close()));
  const url = `http://${host}:${(site.address() as AddressInfo).port}/`;
  const server = await tinyToolServer(t, says("hello from a tool server"), host);
  const curl = (...options: readonly string[]) =>
    JSON.stringify({
      description: "Calls the site.",
      command: { argv: ["/bin/sh", "-c", `curl -sS -m 40 ${options.join(" ")} ${url} 2>&1; true`] },
      permission: "allow",
    });
  const calls = {
    fetch_url: () => callTool("fetch_url", { url }),
    inside: () => callTool("inside"),
    curl: () => callTool("curl"),
    tunnel: () => callTool("tunnel"),
    mcp__remote__speak: () => callTool("mcp__remote__speak"),
  };

  await t.test("tools reach by the broker what the policy lists, in every way", async (t) => {
    await setPolicy({ tool_network: [host], intercept: false });
    await push({
      "tools/inside.json": JSON.stringify({ description: "Says hello.", http: { url }, permission: "allow" }),
      "tools/curl.json": curl(),
      "tools/tunnel.json": curl("--proxytunnel"),
      ".mcp.json": JSON.stringify({ mcpServers: { remote: { url: server.url, permissions: { "*": "allow" } } } }),
    });
    await restart();
    await until(
      "the tool server is connected",
      async () => (await calls.mcp__remote__speak()).includes("hello"),
      60_000,
    );
    for (const [name, call] of Object.entries(calls)) t.match(await call(), /hello from/, name);
  });

  await t.test("the broker refuses what the policy does not list, whatever the engine permits", async (t) => {
    await setPolicy({ tool_network: "none" });
    await until("the broker knows", async () => !(await calls.fetch_url()).includes("hello from"), FRESH_MS);
    for (const [name, call] of Object.entries(calls)) {
      const answer = await call();
      t.notMatch(answer, /hello from/, name);
      t.match(answer, /refuse|Forbidden|403|tool_network/i, name);
    }
    await setPolicy({ tool_network: [host] });
    await until("the broker permits it again", async () => (await calls.curl()).includes("hello from"), FRESH_MS);
  });
}
