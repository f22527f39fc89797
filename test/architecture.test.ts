import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import t from "tap";

const root = resolve(import.meta.dirname, "..");

const HOST = ["src/orchestrator/host-context.ts", "src/orchestrator/api-error.ts", "src/contract", "src/shared"];
const BACKING = ["src/orchestrator/rules", "src/orchestrator/store", "src/orchestrator/fleet"];

/** Room (longest matching prefix wins) to the rooms it may import, itself always included. */
const ARROWS: Record<string, readonly string[]> = {
  "src/shared": [],
  "src/contract": ["src/shared/parse.ts"],
  "src/contract/engine-settings.ts": ["src/shared/environment.ts", "src/shared/logger.ts"],
  "src/contract/engine-env.ts": ["src/contract/engine-settings.ts", "src/shared/environment.ts"],
  "migrations/orchestrator": [],
  "migrations/engine": [],
  "src/orchestrator/daemon": ["src/orchestrator", "src/contract", "src/shared"],
  "src/orchestrator/api-error.ts": ["src/contract", "src/shared"],
  // Types only: what the composition root hands to every operation.
  "src/orchestrator/host-context.ts": ["src/orchestrator", "src/shared"],
  "src/orchestrator/http": [
    "src/orchestrator/operations",
    "src/orchestrator/status",
    "src/orchestrator/rules",
    ...HOST,
  ],
  "src/orchestrator/recovery": [
    "src/orchestrator/operations",
    "src/orchestrator/supervision",
    "src/orchestrator/status",
    ...BACKING,
    ...HOST,
  ],
  "src/orchestrator/operations": ["src/orchestrator/supervision", "src/orchestrator/status", ...BACKING, ...HOST],
  "src/orchestrator/supervision": ["src/orchestrator/status", ...BACKING, ...HOST],
  "src/orchestrator/status": [...BACKING, ...HOST],
  "src/orchestrator/rules": ["src/contract"],
  "src/orchestrator/store": ["src/orchestrator/rules", "migrations/orchestrator", "src/contract", "src/shared"],
  "src/orchestrator/fleet": ["src/orchestrator/rules", "src/contract", "src/shared"],
  "src/orchestrator/postgres": ["src/shared"],
  "src/engine/main.ts": ["src/engine", "src/contract", "src/shared"],
  "src/engine/app.ts": ["src/engine", "src/contract", "src/shared"],
  "src/engine/maintenance.ts": ["src/engine", "src/shared"],
  "src/engine/engine-app.ts": ["src/contract"],
  "src/engine/config.ts": ["src/contract", "src/shared"],
  "src/engine/engine-error.ts": ["src/contract", "src/shared"],
  "src/engine/http": [
    "src/engine/turns",
    "src/engine/learning",
    "src/engine/memory",
    "src/engine/tools",
    "src/engine/mcp",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/turns": [
    "src/engine/agent",
    "src/engine/memory",
    "src/engine/store",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/agent": [
    "src/engine/model",
    "src/engine/tools",
    "src/engine/memory",
    "src/engine/catalog",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/model": ["src/contract", "src/shared"],
  "src/engine/tools": ["src/engine/memory", "src/contract", "src/shared"],
  "src/engine/mcp": ["src/engine/tools", "src/contract", "src/shared"],
  "src/engine/memory": ["src/engine/store", "src/contract", "src/shared"],
  "src/engine/memory/search": [
    "src/engine/memory/predicates.ts",
    "src/engine/memory/trust.ts",
    "src/engine/memory/write-lane.ts",
    "src/engine/store",
    "src/shared",
  ],
  "src/engine/memory/portability": [
    "src/engine/memory/social-graph.ts",
    "src/engine/memory/trust.ts",
    "src/engine/memory/write-lane.ts",
    "src/engine/store",
    "src/contract",
    "src/shared",
  ],
  "src/engine/store": ["migrations/engine", "src/contract", "src/shared"],
  "src/engine/catalog": ["src/engine/tools", "src/contract", "src/shared"],
  "src/engine/learning": [
    "src/engine/model",
    "src/engine/memory",
    "src/engine/catalog",
    "src/engine/tools/visible-text.ts",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/client": ["src/contract"],
  cli: ["src/client", "src/contract", "src/shared"],
};

/** Packages that only some rooms may name; files not listed here may not import them. */
const PACKAGES: Record<string, readonly string[]> = {
  express: ["src/orchestrator/http", "src/engine/http"],
  "better-sse": ["src/orchestrator/http/event-routes.ts", "src/engine/http/event-stream.ts"],
  kysely: ["src/orchestrator/store", "migrations/orchestrator"],
  pg: ["src/orchestrator/store", "src/orchestrator/postgres/presence.ts", "src/orchestrator/postgres/daemon-role.ts"],
  execa: [
    "src/orchestrator/fleet",
    "src/orchestrator/postgres",
    "src/orchestrator/daemon/service-manager.ts",
    "src/engine/tools",
    "cli",
  ],
  commander: ["cli"],
  "@modelcontextprotocol": ["src/engine/mcp", "src/engine/tools/json-schema-input.ts"],
  yaml: ["src/engine/catalog/front-matter.ts"],
  pino: ["src/shared/logger.ts"],
  "chrono-node": ["src/engine/learning/spoken-dates.ts"],
  "eventsource-parser": ["src/client/sse-frames.ts"],
  "prom-client": ["src/orchestrator/status/metrics.ts"],
};

const files = ["src", "cli", "migrations"].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("client/dist/"))
    .map((name) => join(top, name)),
);
const source = (file: string) => readFileSync(join(root, file), "utf8");
const specifiers = (file: string) =>
  [...source(file).matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
const imports = new Map(
  files.map((file) => [
    file,
    specifiers(file)
      .filter((name) => name.startsWith("."))
      .map((name) => relative(root, resolve(root, dirname(file), name)))
      .filter((target) => target !== "package.json"),
  ]),
);
const within = (file: string, room: string) => file === room || file.startsWith(`${room}/`);
const roomOf = (file: string) =>
  Object.keys(ARROWS)
    .filter((room) => within(file, room))
    .sort((left, right) => right.length - left.length)[0];

t.test("every file lives in a room, and imports only go along the arrows", async (t) => {
  for (const [file, targets] of imports) {
    const room = roomOf(file);
    t.ok(room, `${file} lives in a room`);
    if (room === undefined) continue;
    const allowed = [room, ...(ARROWS[room] ?? [])];
    for (const target of targets) {
      t.ok(
        allowed.some((place) => within(target, place)),
        `${file} may import ${target}`,
      );
    }
  }
});

t.test("no file imports itself over others", async (t) => {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void t.fail(`cycle: ${[...path.slice(path.indexOf(file)), file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  t.pass("walked every import");
});

t.test("a package is imported only in the rooms that own it", async (t) => {
  for (const file of files) {
    for (const name of specifiers(file)) {
      const owners = PACKAGES[name.split("/")[0] ?? ""];
      if (owners !== undefined)
        t.ok(
          owners.some((room) => within(file, room)),
          `${file} may import ${name}`,
        );
    }
  }
});

t.test("a tool is reached over one road: one authorize, then one execute", async (t) => {
  const roads: readonly [RegExp, readonly string[]][] = [
    [/(?<!function )\bauthorize\(/, ["src/engine/agent/prepare-call.ts"]],
    [/\bparts\.execute\(/, ["src/engine/agent/tool-calls.ts"]],
    [/\btool\.run\(/, ["src/engine/tools/execute.ts"]],
    [/\bprepareCall\(/, ["src/engine/agent/prepare-call.ts", "src/engine/agent/tool-calls.ts"]],
  ];
  for (const [pattern, places] of roads) {
    const engine = files.filter((file) => file.startsWith("src/engine/"));
    t.same(engine.filter((file) => pattern.test(source(file))).sort(), places, pattern.source);
  }
});

t.test("the environment, the exit and the signals have one place each", async (t) => {
  const places: readonly [RegExp, RegExp][] = [
    [/\bprocess\.env\b/, /^src\/(orchestrator\/daemon|engine)\/main\.ts$|^cli\/(main|settings)\.ts$/],
    [/\bprocess\.exit\(/, /^src\/shared\/shutdown-signals\.ts$/],
    [/\bprocess\.on\(\s*"?SIG|process\.on\(signal/, /^src\/shared\/shutdown-signals\.ts$/],
  ];
  for (const file of files) {
    for (const [pattern, place] of places) {
      if (pattern.test(source(file))) t.match(file, place, `${file} may use ${pattern.source}`);
    }
  }
});
