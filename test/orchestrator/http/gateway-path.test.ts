import t from "tap";
import { endToEndHeaders } from "../../../src/orchestrator/http/forwarded-headers.ts";
import { isGatewayUrl, readGatewayPath } from "../../../src/orchestrator/http/gateway-path.ts";

t.test("the rest of the path reaches the engine as it was sent", async (t) => {
  const targets = {
    "/e/eng_a-1/execute": "/execute",
    "/e/eng_a-1/execute/replay?task_id=a%2Fb&after=1": "/execute/replay?task_id=a%2Fb&after=1",
    "/e/eng_a-1": "/",
    "/e/eng_a-1?x=1": "/?x=1",
    "/e/eng_a-1//x/../y": "//x/../y",
    "/e/eng_a-1/%2e%2e/control/keys": "/%2e%2e/control/keys",
  };
  for (const [url, target] of Object.entries(targets)) t.match(readGatewayPath(url), { engineId: "eng_a-1", target });
});

t.test("calls without an engine's id, and the daemon's own calls, lead nowhere", async (t) => {
  for (const url of [
    "/e/",
    "/e/x/execute",
    "/e/eng_/x",
    "/e/eng_a.b/x",
    "/e/eng_a/control/keys",
    "/e/eng_a/Control/drain",
  ])
    t.equal(readGatewayPath(url), null, url);
  t.ok(isGatewayUrl("/e/eng_a/x"));
  t.notOk(isGatewayUrl("/engines"));
  t.notOk(isGatewayUrl(undefined));
});

t.test("only calls that the engine answers with its key show that a caller has it", async (t) => {
  t.match(readGatewayPath("/e/eng_a/execute"), { needsKey: true });
  for (const path of ["/health", "/health?x", "/openapi.json", "/docs"])
    t.match(readGatewayPath(`/e/eng_a${path}`), { needsKey: false });
});

t.test("headers of one connection are not passed on", async (t) => {
  const headers = {
    connection: "Keep-Alive, x-hop",
    "keep-alive": "timeout=5",
    "transfer-encoding": "chunked",
    "x-hop": "1",
    host: "agents.example.com",
    expect: "100-continue",
    "x-engine-key": "sk",
    "set-cookie": ["a=1", "b=2"],
  };
  t.strictSame(endToEndHeaders(headers), { "x-engine-key": "sk", "set-cookie": ["a=1", "b=2"] });
});
