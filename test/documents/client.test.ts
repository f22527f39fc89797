import t from "tap";
import { DEFAULT_LIMITS, createEngineClient, createOrchestratorClient } from "../../src/client/index.ts";
import { CLIENT_ERRORS } from "../../src/client/orchd-error.ts";
import { namesIn, tableIs, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/client.md";

t.test("the methods are those of the code, both ways", async (t) => {
  const clients = {
    engine: createEngineClient({ url: "http://x", key: "k" }),
    orchestrator: createOrchestratorClient({ url: "http://x", platformKey: "k" }),
  };
  for (const [name, client] of Object.entries(clients)) {
    const source = `src/client/${name}-client.ts`;
    const written = name === "orchestrator" ? namesIn(FILE, "orchestrator client calls") : [];
    const shown = [...namesIn(FILE, `${name} client`), ...written].sort();
    t.same(shown, Object.keys(client).sort(), tableIs(FILE, `${name} client`, source));
  }
});

t.test("the errors are the table in the code, both ways", async (t) => {
  const rows = tableRows(FILE, "client errors").map(([code, meaning]) => [withoutBackticks(code), meaning]);
  t.same(rows, Object.entries(CLIENT_ERRORS), tableIs(FILE, "client errors", "src/client/orchd-error.ts"));
});

t.test("the limits and their defaults are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "client limits").map(([name, value]) => [withoutBackticks(name), value]);
  t.same(
    rows,
    Object.entries(DEFAULT_LIMITS).map(([name, value]) => [name, [value].flat().join(", ")]),
    tableIs(FILE, "client limits", "src/client/limits.ts"),
  );
});
