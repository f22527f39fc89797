import { PassThrough } from "node:stream";
import pino from "pino";
import t from "tap";
import { createServerLog } from "../../../src/engine/mcp/server-log.ts";
import { parseToolServers } from "../../../src/engine/mcp/server-config.ts";
import { entryContext } from "../../helpers/command-host.ts";

t.test("a server that floods its standard error writes little to the engine's log", async (t) => {
  const written = new PassThrough();
  let bytes = 0;
  written.on("data", (chunk: Buffer) => (bytes += chunk.length));
  const { servers } = parseToolServers('{"mcpServers": {"floods": {"command": "true"}}}', entryContext());
  const [server] = servers;
  if (server === undefined) throw new Error("expected a server");
  const log = createServerLog(pino({ level: "debug" }, written), server);
  const chunk = `${"x".repeat(50)}\n`.repeat(1000);
  for (let mebibytes = 0; mebibytes < 50; mebibytes += chunk.length / 1_048_576) log.stderr(chunk);
  log.stderr("y".repeat(10_000_000));
  t.ok(bytes > 0);
  t.ok(bytes < 500_000, `${bytes} bytes`);
  t.ok(JSON.stringify(log.stderrTail()).length < 5000);
});
