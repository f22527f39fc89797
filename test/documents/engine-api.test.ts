import t from "tap";
import { ENGINE_ERRORS } from "../../src/contract/engine-errors.ts";
import { ENGINE_EVENT_TYPES } from "../../src/contract/engine-events.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../../src/contract/engine-routes.ts";
import { readScript } from "../../src/engine/model/sandbox-script.ts";
import { documentText, namesIn, tableIs, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/engine-api.md";

t.test("the routes are those of the code, both ways", async (t) => {
  const routes = Object.values<EngineRoute>(ENGINE_ROUTES).flatMap(({ method, path, auth }) =>
    auth === "control" ? [] : [`${method} ${path}`],
  );
  t.same(
    namesIn(FILE, "engine routes")
      .filter((name) => name.includes(" /"))
      .sort(),
    routes.sort(),
    tableIs(FILE, "engine routes", "src/contract/engine-routes.ts"),
  );
});

t.test("the events are those of the code, both ways, in the table and in the tree", async (t) => {
  const types: readonly string[] = [...ENGINE_EVENT_TYPES].sort();
  t.same(
    [...namesIn(FILE, "engine events")].sort(),
    types,
    tableIs(FILE, "engine events", "src/contract/engine-events.ts"),
  );
  const [, tree = ""] = /```\n(thread_lifecycle[^]*?)```/.exec(documentText(FILE)) ?? [];
  const inTree = [...tree.matchAll(/^[│├└─ ]*([a-z_]+)/gm)].map(([, type = ""]) => type);
  t.same(
    types.filter((type) => type !== "error"),
    [...new Set(inTree)].filter((type) => type !== "or").sort(),
    `the tree of events in ${FILE} (expected) has every event but "error" (actual)`,
  );
  t.match(tree, /then `error` as the very last event/);
});

t.test("the errors are the table in the code, both ways", async (t) => {
  const rows = tableRows(FILE, "engine errors").map(([code, ...rest]) => [withoutBackticks(code), ...rest]);
  t.same(
    rows,
    Object.entries(ENGINE_ERRORS).map(([code, { status, cause }]) => [
      code,
      status === null ? "in a stream" : String(status),
      cause,
    ]),
    tableIs(FILE, "engine errors", "src/contract/engine-errors.ts"),
  );
});

t.test("the sandbox commands are those of the code, both ways", async (t) => {
  const named = namesIn(FILE, "sandbox commands").filter((name) => name.startsWith("/"));
  const [refusal] = readScript("/nonsense") ?? [];
  // An unknown command lists the known ones.
  const [, ...known] = (refusal?.kind === "say" ? refusal.text : "").match(/\/[a-z]+/g) ?? [];
  t.same([...new Set(named.map((name) => name.split(" ")[0]))], known);
  for (const line of named) t.not(readScript(line)?.[0]?.kind, undefined, line);
});
