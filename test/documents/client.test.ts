import t from "tap";
import { DEFAULT_LIMITS, createEngineClient, createOrchestratorClient } from "../../src/client/index.ts";
import { CLIENT_ERRORS } from "../../src/client/orchd-error.ts";
import { namesIn, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/client.md";

t.test("the methods are those of the code, both ways", async (t) => {
  const engine = createEngineClient({ url: "http://x", key: "k" });
  t.same([...namesIn(FILE, "engine client")].sort(), Object.keys(engine).sort());
  const orchestrator = createOrchestratorClient({ url: "http://x", platformKey: "k" });
  t.same([...namesIn(FILE, "orchestrator client")].sort(), Object.keys(orchestrator).sort());
});

t.test("the errors are the table in the code, both ways", async (t) => {
  const rows = tableRows(FILE, "client errors").map(([code, meaning]) => [withoutBackticks(code), meaning]);
  t.same(rows, Object.entries(CLIENT_ERRORS));
});

t.test("the limits and their defaults are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "client limits").map(([name, value]) => [withoutBackticks(name), value]);
  t.same(
    rows,
    Object.entries(DEFAULT_LIMITS).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
});
