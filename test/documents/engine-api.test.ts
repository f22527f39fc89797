import t from "tap";
import { DEFAULT_ATTACHMENT_LIMITS } from "../../src/contract/attachment-records.ts";
import { ENGINE_ERRORS } from "../../src/contract/engine-errors.ts";
import { ENGINE_EVENT_TYPES } from "../../src/contract/engine-events.ts";
import { CONTROL_PATHS } from "../../src/contract/engine-control.ts";
import { type RouteParts, createRoutes } from "../../src/engine/http/routes.ts";
import { readScript } from "../../src/engine/model/sandbox-script.ts";
import { documentText, namesIn, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/engine-api.md";

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Every route that an engine's key opens. No handler is called, so none needs its parts. */
function engineRoutes(): readonly string[] {
  const { router } = createRoutes({ attachments: { limits: DEFAULT_ATTACHMENT_LIMITS } } as RouteParts) as unknown as {
    readonly router: { readonly stack: Layer[] };
  };
  const control: readonly string[] = Object.values(CONTROL_PATHS);
  return router.stack.flatMap(({ route }) =>
    route === undefined || control.includes(route.path)
      ? []
      : Object.keys(route.methods).map(
          (method) => `${method.toUpperCase()} ${route.path.replaceAll(/:(\w+)/g, "{$1}")}`,
        ),
  );
}

t.test("the routes are those of the code, both ways", async (t) => {
  t.same(
    namesIn(FILE, "engine routes")
      .filter((name) => name.includes(" /"))
      .sort(),
    [...engineRoutes(), "GET /health"].sort(),
  );
});

t.test("the events are those of the code, both ways, in the table and in the tree", async (t) => {
  const types: readonly string[] = [...ENGINE_EVENT_TYPES].sort();
  t.same([...namesIn(FILE, "engine events")].sort(), types);
  const [, tree = ""] = /```\n(thread_lifecycle[^]*?)```/.exec(documentText(FILE)) ?? [];
  const inTree = [...tree.matchAll(/^[│├└─ ]*([a-z_]+)/gm)].map(([, type = ""]) => type);
  t.same(
    types.filter((type) => type !== "error"),
    [...new Set(inTree)].filter((type) => type !== "or").sort(),
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
