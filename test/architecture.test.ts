import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import t from "tap";

const root = resolve(import.meta.dirname, "..");

const HOST = ["src/orchestrator/host-context.ts", "src/orchestrator/api-error.ts", "src/contract", "src/shared"];
const BACKING = [
  "src/orchestrator/rules",
  "src/orchestrator/store",
  "src/orchestrator/fleet",
  "src/orchestrator/engine-calls",
  "src/orchestrator/outbound",
  "src/orchestrator/identity",
  "src/orchestrator/secrets",
];
/** What every backend is written against. */
const BACKEND = [
  ...[
    "catalog-storage",
    "knowledge-storage",
    "engine-backend",
    "engine-storage",
    "launch-failed",
    "limits-report",
    "system-reason",
  ].map((name) => `src/orchestrator/fleet/${name}.ts`),
  "src/orchestrator/fleet/isolation",
  "src/orchestrator/engine-calls/engine-url.ts",
  "src/sandbox",
  "src/contract",
  "src/shared",
];

/** Room (longest matching prefix wins) to the rooms it may import, itself always included. */
const ARROWS: Record<string, readonly string[]> = {
  "src/shared": [],
  "src/shared/http/listen-address.ts": ["src/sandbox", "src/shared"],
  "src/shared/outside-addresses.ts": ["src/sandbox/proxy.ts", "src/shared"],
  "src/shared/host-resources.ts": ["src/sandbox", "src/shared"],
  "src/sandbox": [],
  "src/contract": ["src/sandbox/proxy.ts", "src/shared/parse.ts"],
  "src/contract/broker/intercept-ca.ts": ["src/contract", "src/shared/x509"],
  "src/contract/settings/engine-settings.ts": ["src/contract", "src/shared/environment.ts", "src/shared/logger.ts"],
  "src/contract/settings/embeddings-endpoint.ts": ["src/contract", "src/shared/environment.ts"],
  "src/contract/settings/upstreams.ts": ["src/contract", "src/shared/environment.ts"],
  "src/contract/engine/program.ts": ["src/contract", "src/shared/environment.ts"],
  "src/contract/engine/environment.ts": ["src/contract", "src/shared/environment.ts"],
  "src/backup": ["src/shared"],
  // Rules of the broker are few, and it is small: it loads in tens of milliseconds.
  "src/broker": [
    "src/contract/broker",
    "src/contract/orchestrator/api-keys.ts",
    "src/sandbox",
    "src/shared/http/listen-address.ts",
    "src/shared/outside-addresses.ts",
  ],
  "migrations/orchestrator": [],
  "migrations/engine": [],
  "src/orchestrator/daemon": ["src/orchestrator", "src/sandbox", "src/backup", "src/contract", "src/shared"],
  "src/orchestrator/api-error.ts": ["src/contract", "src/shared"],
  // Types only: what the composition root hands to every operation.
  "src/orchestrator/host-context.ts": ["src/orchestrator", "src/shared"],
  "src/orchestrator/http": [
    "src/sandbox/proxy.ts",
    "src/orchestrator/operations",
    "src/orchestrator/status",
    "src/orchestrator/rules",
    "src/orchestrator/identity",
    ...HOST,
  ],
  "src/orchestrator/recovery": [
    "src/orchestrator/operations",
    "src/orchestrator/supervision",
    "src/orchestrator/status",
    ...BACKING,
    ...HOST,
  ],
  "src/orchestrator/operations": [
    "src/orchestrator/supervision",
    "src/orchestrator/status",
    "src/backup",
    ...BACKING,
    ...HOST,
  ],
  "src/orchestrator/supervision": ["src/orchestrator/status", ...BACKING, ...HOST],
  "src/orchestrator/status": ["src/backup/backup-files.ts", ...BACKING, ...HOST],
  "src/orchestrator/rules": ["src/contract"],
  "src/orchestrator/store": ["src/orchestrator/rules", "migrations/orchestrator", "src/contract", "src/shared"],
  // Values of the vault, and where they are read from.
  "src/orchestrator/secrets": ["src/orchestrator/store", "src/contract", "src/shared"],
  "src/orchestrator/identity": ["src/orchestrator/outbound", "src/contract", "src/shared"],
  "src/orchestrator/outbound": ["src/sandbox/proxy.ts", "src/contract", "src/shared"],
  "src/orchestrator/engine-calls": ["src/orchestrator/fleet/engine-backend.ts", "src/contract", "src/shared"],
  "src/orchestrator/fleet": ["src/sandbox/cgroups.ts", "src/contract", "src/shared"],
  "src/orchestrator/fleet/isolation": [
    "src/orchestrator/fleet/launch-failed.ts",
    "src/sandbox",
    "src/contract",
    "src/shared",
  ],
  "src/orchestrator/fleet/sockets": [
    "src/orchestrator/fleet/launch-failed.ts",
    "src/sandbox",
    "src/contract",
    "src/shared",
  ],
  "src/orchestrator/fleet/folders": ["src/backup", ...BACKEND],
  "src/orchestrator/fleet/logs": ["src/orchestrator/fleet/folders/engine-file.ts", ...BACKEND],
  "src/orchestrator/fleet/process": [
    "src/orchestrator/fleet/folders",
    "src/orchestrator/fleet/logs",
    "src/orchestrator/fleet/sockets",
    "src/orchestrator/rules",
    ...BACKEND,
  ],
  "src/orchestrator/fleet/broker": [
    "src/orchestrator/fleet/folders/engine-file.ts",
    "src/orchestrator/fleet/process",
    "src/orchestrator/fleet/sockets/await-connection.ts",
    ...BACKEND,
  ],
  "src/orchestrator/fleet/containers": BACKEND,
  "src/orchestrator/fleet/docker": [
    "src/orchestrator/fleet/containers",
    "src/orchestrator/fleet/folders",
    "src/orchestrator/fleet/logs",
    "src/orchestrator/fleet/process",
    ...BACKEND,
  ],
  "src/orchestrator/fleet/kubernetes": [
    "src/orchestrator/fleet/containers",
    "src/orchestrator/fleet/folders",
    "src/orchestrator/fleet/logs",
    "src/orchestrator/fleet/process",
    "src/backup",
    ...BACKEND,
  ],
  "src/orchestrator/postgres": ["src/sandbox", "src/shared"],
  "src/engine/main.ts": ["src/engine", "src/contract", "src/shared"],
  "src/engine/program.ts": ["src/engine", "src/contract"],
  "src/engine/spare": ["src/engine", "src/contract", "src/sandbox", "src/shared"],
  // Opens the parts of an engine and closes them.
  "src/engine/app": ["src/engine", "src/contract", "src/sandbox", "src/shared"],
  "src/engine/config.ts": ["src/contract", "src/shared"],
  "src/engine/engine-error.ts": ["src/contract", "src/shared"],
  "src/engine/http": [
    "src/engine/turns",
    "src/engine/tasks",
    "src/engine/telemetry",
    "src/engine/learning",
    "src/engine/memory",
    "src/engine/tools",
    "src/engine/files",
    "src/engine/mcp",
    "src/engine/requests",
    "src/engine/sleep",
    "src/engine/attachments",
    "src/engine/protocols",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  // Bundles of their own: a class or a state of another room would be there twice.
  "src/engine/protocols": ["src/contract", "src/shared"],
  "src/engine/attachments": ["src/contract", "src/shared"],
  "src/engine/sleep": ["src/contract", "src/shared"],
  "src/engine/turns": [
    "src/engine/agent",
    "src/engine/checkpoints",
    "src/engine/tools/plan.ts",
    "src/engine/tools/tool.ts",
    "src/engine/telemetry",
    "src/engine/memory",
    "src/engine/store",
    "src/engine/attachments",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/tasks": [
    "src/engine/turns",
    "src/engine/memory",
    "src/engine/model",
    "src/engine/store",
    "src/engine/attachments",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/agent": [
    "src/engine/model",
    "src/engine/telemetry",
    "src/engine/tools",
    "src/engine/memory",
    "src/engine/catalog",
    "src/engine/attachments",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/telemetry": ["src/contract", "src/shared"],
  "src/engine/usage": ["src/engine/store", "src/contract", "src/shared"],
  "src/engine/model": ["src/engine/telemetry", "src/engine/attachments", "src/contract", "src/shared"],
  "src/engine/requests": ["src/engine/model", "src/engine/store", "src/contract", "src/shared"],
  "src/engine/checkpoints": [
    "src/engine/store",
    "src/engine/tools/call-checkpoint.ts",
    "src/engine/tools/workspace-folder.ts",
    "src/contract",
    "src/shared",
  ],
  "src/engine/files": [
    "src/engine/checkpoints",
    "src/engine/store",
    "src/engine/tools/publish-file.ts",
    "src/engine/tools/tool.ts",
    "src/engine/tools/workspace-folder.ts",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/sandbox",
    "src/shared",
  ],
  "src/engine/secrets": ["src/engine/tools/tool.ts", "src/contract", "src/sandbox", "src/shared"],
  "src/engine/isolation": ["src/sandbox", "src/contract", "src/shared"],
  "src/engine/tools": [
    "src/engine/attachments",
    "src/engine/isolation",
    "src/engine/telemetry",
    "src/engine/memory",
    "src/contract",
    "src/sandbox",
    "src/shared",
  ],
  "src/engine/mcp": [
    "src/engine/secrets/secret-references.ts",
    "src/engine/attachments",
    "src/engine/isolation",
    "src/engine/tools",
    "src/contract",
    "src/sandbox",
    "src/shared",
  ],
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
    "src/sandbox",
    "src/shared",
  ],
  "src/engine/store": ["migrations/engine", "src/contract", "src/shared"],
  "src/engine/catalog-check": [
    "src/engine/catalog",
    "src/engine/tools/tool-rules.ts",
    "src/engine/isolation",
    "src/engine/mcp",
    "src/contract",
    "src/sandbox",
    "src/shared",
  ],
  "src/engine/catalog": [
    "src/engine/secrets/secret-references.ts",
    "src/engine/isolation",
    "src/engine/tools",
    "src/contract",
    "src/shared",
  ],
  "src/engine/knowledge": [
    "src/engine/memory/embeddings",
    "src/engine/memory/search/nearness.ts",
    "src/engine/store/database.ts",
    "src/engine/tools",
    "src/contract",
    "src/shared",
  ],
  "src/engine/knowledge-reading": [
    "src/engine/knowledge",
    "src/engine/memory/embeddings",
    "src/engine/model/embedder.ts",
    "src/engine/model/metered-provider.ts",
    "src/engine/store/database.ts",
    "src/engine/tools/web/html-text.ts",
    "src/contract",
    "src/sandbox",
    "src/shared",
  ],
  "src/engine/learning": [
    "src/engine/model",
    "src/engine/memory",
    "src/engine/catalog",
    "src/engine/tools/tool.ts",
    "src/engine/tools/visible-text.ts",
    "src/engine/engine-error.ts",
    "src/contract",
    "src/shared",
  ],
  "src/client": ["src/contract"],
  cli: ["src/client", "src/contract", "src/shared"],
  "console/src/routing": [],
  "console/src/parts": [],
  "console/src/session": [
    "console/src/routing",
    "console/src/parts",
    "src/contract/console/session-limits.ts",
    "src/contract/console/sign-in-problems.ts",
  ],
  "console/src/live": ["console/src/session", "console/src/parts"],
  "console/src/views": [
    "console/src/live",
    "console/src/session",
    "console/src/parts",
    "console/src/routing",
    "src/contract/key-format.ts",
    "src/contract/meaning.ts",
    "src/contract/orchestrator/policy-fields.ts",
    "src/contract/orchestrator/policy-value.ts",
    "src/contract/orchestrator/engine-policy.ts",
    "src/contract/orchestrator/usage-groups.ts",
  ],
  "console/src/shell": [
    "console/src/views",
    "console/src/live",
    "console/src/session",
    "console/src/parts",
    "console/src/routing",
  ],
  "console/src/app.tsx": ["console/src"],
  "console/src/main.tsx": ["console/src"],
};

/** Packages that only some rooms may name; files not listed here may not import them. */
const PACKAGES: Record<string, readonly string[]> = {
  express: ["src/orchestrator/http", "src/engine/http", "src/shared/http"],
  "better-sse": ["src/orchestrator/http/stream-routes.ts", "src/engine/http/event-stream.ts"],
  kysely: ["src/orchestrator/store", "migrations/orchestrator"],
  pg: ["src/orchestrator/store", "src/orchestrator/postgres/server-session.ts"],
  execa: ["src/orchestrator/fleet", "src/orchestrator/secrets", "src/orchestrator/postgres", "src/engine/tools", "cli"],
  commander: ["cli"],
  croner: ["src/orchestrator/rules/cron-times.ts"],
  "@agentclientprotocol": ["cli/acp"],
  "@modelcontextprotocol": ["src/engine/mcp", "src/engine/protocols/mcp", "src/engine/tools/json-schema-input.ts"],
  "modern-tar": ["src/shared/tar.ts", "console/src/views/catalog"],
  yazl: ["src/engine/files/archive-sinks.ts"],
  yaml: ["src/engine/catalog/yaml-fields.ts", "src/orchestrator/fleet/kubernetes/cluster-access.ts"],
  pino: ["src/shared/logger.ts"],
  "chrono-node": ["src/engine/learning/date-expressions.ts"],
  "eventsource-parser": ["src/client/sse-frames.ts"],
  preact: ["console/src"],
  "@preact": ["console/src"],
  marked: ["console/src/parts/markdown"],
  unpdf: ["src/engine/knowledge-reading/read-pdf.ts"],
  "openid-client": ["src/orchestrator/identity"],
  "prom-client": ["src/orchestrator/status/metrics.ts"],
};

/** Programs, in each of which a file name stands for one thing. */
const PROGRAMS: Record<string, readonly string[]> = {
  orchestrator: ["src/orchestrator", "migrations/orchestrator"],
  engine: ["src/engine", "migrations/engine"],
  cli: ["cli"],
  client: ["src/client"],
  sandbox: ["src/sandbox"],
  broker: ["src/broker"],
  console: ["console/src"],
};

/** Rooms that never import each other, whatever ARROWS allows. */
const STRANGERS: readonly (readonly [string, string])[] = [
  ["src/orchestrator", "src/engine"],
  ["src/orchestrator/store", "src/orchestrator/fleet"],
  ["src/client", "src/orchestrator"],
  ["src/client", "src/engine"],
];

/** What the rest of the orchestrator may import of the fleet. Only the daemon's composition names a backend. */
const SEAM = [
  "broker/model-broker.ts",
  "catalog-storage.ts",
  "knowledge-storage.ts",
  "engine-backend.ts",
  "engine-storage.ts",
  "launch-failed.ts",
  "live-engines.ts",
  "logs/redact-line.ts",
  "isolation/host-isolation.ts",
].map((name) => `src/orchestrator/fleet/${name}`);
/** Words of the process backend. Rows of an earlier schema, and PostgreSQL's own processes, have them too. */
const PROCESS_WORDS = /\bpids?\b|\bboot_?id\b|\bprocess_start\b|\b(?:engine|kept)Folders?\b/i;
const OTHER_PROCESSES = ["record-load.ts", "host-lock.ts", "leaders.ts"].map(
  (name) => `src/orchestrator/store/${name}`,
);

const MAX_LINES = 300;

const files = ["src", "cli", "migrations", "console/src"].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
    // Built and generated files follow other rules.
    .filter((name) => /\.tsx?$/.test(name) && !/^(client|sandbox)\/dist\//.test(name))
    .filter((name) => !/^client\/(records|.+-routes)\.ts$/.test(name))
    .map((name) => join(top, name)),
);
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const source = (file: string) => sources.get(file) ?? "";
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
const edges = [...imports].flatMap(([file, targets]) => targets.map((target) => ({ file, target })));
const within = (file: string, room: string) => file === room || file.startsWith(`${room}/`);
const withinAny = (file: string, rooms: readonly string[]) => rooms.some((room) => within(file, room));
const roomOf = (file: string) =>
  Object.keys(ARROWS)
    .filter((room) => within(file, room))
    .sort((left, right) => right.length - left.length)[0];
const show = ({ file, target }: { readonly file: string; readonly target: string }) => `${file} imports ${target}`;
const lines = (file: string) => source(file).split("\n").length - 1;

t.test("the rules see the source files and their imports", async (t) => {
  t.ok(files.length > 100 && edges.length > files.length, `${files.length} files, ${edges.length} imports`);
});

t.test("every file lives in a room", async (t) => {
  t.same(
    files.filter((file) => roomOf(file) === undefined),
    [],
  );
});

t.test("every room and every owner of a package exists", async (t) => {
  const named = [...Object.entries(ARROWS), ...Object.entries(PACKAGES).map(([, owners]) => ["cli", owners] as const)];
  const places = new Set(named.flatMap(([room, others]) => [room, ...others]));
  t.same(
    [...places].filter((place) => !existsSync(join(root, place))),
    [],
  );
});

t.test("imports only go along the arrows", async (t) => {
  const allowed = (file: string) => {
    const room = roomOf(file);
    return room === undefined ? [] : [room, ...(ARROWS[room] ?? [])];
  };
  t.same(edges.filter(({ file, target }) => !withinAny(target, allowed(file))).map(show), []);
});

t.test("orchestrator and engine, store and fleet, and the client's servers stay apart", async (t) => {
  const meets = ({ file, target }: { readonly file: string; readonly target: string }) =>
    STRANGERS.some(
      ([one, other]) => (within(file, one) && within(target, other)) || (within(file, other) && within(target, one)),
    );
  t.same(edges.filter(meets).map(show), []);
});

const SANDBOX = "src/sandbox";
const manifest = JSON.parse(readFileSync(join(root, SANDBOX, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
};
const doors = Object.keys(manifest.exports)
  .filter((name) => name !== "./package.json")
  .map((name) => join(SANDBOX, `${name === "." ? "index" : name}.ts`));

t.test("nobody imports past the doors of the sandbox", async (t) => {
  const past = edges.filter(
    ({ file, target }) => !within(file, SANDBOX) && within(target, SANDBOX) && !doors.includes(target),
  );
  t.same(past.map(show), []);
});

t.test("the sandbox imports nothing but Node.js and what its package.json names", async (t) => {
  const named = Object.keys(manifest.dependencies ?? {});
  const others = files
    .filter((file) => within(file, SANDBOX))
    .flatMap((file) => specifiers(file).map((name) => ({ file, target: name })))
    .filter(({ target }) => !/^(\.|node:)/.test(target) && !named.includes(target));
  t.same(others.map(show), []);
});

t.test("the sandbox knows no word of orchd", async (t) => {
  const words = /(?<!@)orch|engine|\btools?\b|tool_|\bpolicy\b|data_dir|daemon\b/i;
  t.same(
    filesWith(words).filter((file) => within(file, SANDBOX)),
    [],
  );
});

/** A door that a stranger can read. */
const MAX_NAMES = 25;

t.test(`a door of the sandbox has at most ${MAX_NAMES} names, each with its meaning`, async (t) => {
  for (const door of doors) {
    const names = [...source(door).matchAll(/^export (?:type )?\{([^}]+)\} from "\.\/([^"]+)";/gm)].flatMap(
      ([, list = "", file = ""]) => list.split(",").map((name) => ({ name: name.trim().replace(/^type /, ""), file })),
    );
    t.ok(names.length > 0 && names.length <= MAX_NAMES, `${door}: ${names.length} names`);
    const bare = names.filter(
      ({ name, file }) =>
        !new RegExp(`\\*/\\nexport (?:async )?(?:function\\*? |const |class |interface |type )${name}\\b`).test(
          source(join(SANDBOX, file)).replaceAll(/async function\* /g, "function "),
        ),
    );
    t.same(
      bare.map(({ name }) => `${door}: ${name}`),
      [],
    );
  }
});

const beyondBackend = (file: string) =>
  within(file, "src/orchestrator") &&
  !withinAny(file, ["src/orchestrator/fleet", "src/orchestrator/postgres", "src/orchestrator/daemon"]);

t.test("the orchestrator reaches engines through the backend's interface", async (t) => {
  const past = edges.filter(
    ({ file, target }) => beyondBackend(file) && within(target, "src/orchestrator/fleet") && !SEAM.includes(target),
  );
  t.same(past.map(show), []);
});

t.test("one file knows the backends in containers", async (t) => {
  const rooms = ["docker", "kubernetes"].map((room) => `src/orchestrator/fleet/${room}`);
  const outside = edges.filter(({ file, target }) => withinAny(target, rooms) && !withinAny(file, rooms));
  t.same([...new Set(outside.map(({ file }) => file))], ["src/orchestrator/daemon/open-backend.ts"]);
});

t.test("nothing outside the fleet names a pid, a boot id or a folder of an engine", async (t) => {
  const naming = filesWith(PROCESS_WORDS).filter((file) => beyondBackend(file) && !OTHER_PROCESSES.includes(file));
  t.same(naming, []);
});

t.test("the orchestrator's rules import nothing but the contract and each other", async (t) => {
  const rules = "src/orchestrator/rules";
  const others = edges.filter(({ file, target }) => within(file, rules) && !withinAny(target, [rules, "src/contract"]));
  t.same(others.map(show), []);
});

t.test("imports have no cycle", async (t) => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  t.same(cycles, []);
});

for (const [name, owners] of Object.entries(PACKAGES)) {
  t.test(`${name} is imported only in the rooms that own it`, async (t) => {
    const users = files.filter((file) => specifiers(file).some((specifier) => specifier.split("/")[0] === name));
    t.same(
      users.filter((file) => !withinAny(file, owners)),
      [],
    );
  });
}

t.test("a tool runs along one path: one authorize, then one execute", async (t) => {
  const callers = (pattern: RegExp) =>
    files.filter((file) => file.startsWith("src/engine/") && pattern.test(source(file))).sort();
  t.same(
    {
      authorize: callers(/(?<!function )\bauthorize\(/),
      execute: callers(/\bparts\.execute\(/),
      run: callers(/\btool\.run\(/),
      prepareCall: callers(/\bprepareCall\(/),
    },
    {
      authorize: ["src/engine/agent/prepare-call.ts"],
      execute: ["src/engine/agent/tool-calls.ts"],
      run: ["src/engine/tools/execute.ts"],
      prepareCall: ["src/engine/agent/prepare-call.ts", "src/engine/agent/tool-calls.ts"],
    },
  );
});

t.test("each program reads the environment in one file", async (t) => {
  t.same(filesWith(/\bprocess\.env\b/), [
    "cli/settings.ts",
    "src/broker/program.ts",
    "src/engine/program.ts",
    "src/orchestrator/daemon/main.ts",
  ]);
});

/** They compare times that are stored. */
const STORED_TIMES = ["src/engine/tools/attachments/prune-attachments.ts", "src/orchestrator/supervision/start-run.ts"];

t.test("no wait ends by the wall clock", async (t) => {
  const wall = String.raw`\b(?:Date|host)\.now\(\)`;
  const ends = new RegExp(`${wall} *[<>]|[<>]=? *${wall}|= ${wall} \\+`);
  t.same(
    filesWith(ends).filter((file) => file.startsWith("src/")),
    STORED_TIMES,
  );
});

t.test("one file exits the process", async (t) => {
  t.same(filesWith(/\bprocess\.exit\(/), ["src/shared/shutdown-signals.ts"]);
});

t.test("an engine is booted only by supervision, so that every running engine is supervised", async (t) => {
  const callers = files.filter((file) => /(?<!(?:const|function) )\bboot(?:Engine|Queued)\(/.test(source(file)));
  t.same(callers, ["src/orchestrator/supervision/supervise-engine.ts"]);
});

/** The functions of the supervision that start engines, and what opens the host. */
const MAX_WHOLE_HOSTS = 23;

t.test("functions take the parts of the host that they use", async (t) => {
  const whole = files.flatMap((file) => source(file).match(/(?<!\w)host: (?:HostContext|StartingHost)\b(?!\[)/g) ?? []);
  t.ok(whole.length <= MAX_WHOLE_HOSTS, `${whole.length} take all of it, or all that starts engines`);
});

/** Removals by path, where no tool can write. Others go by descriptors: `removeFolder`. */
const REMOVED_BY_PATH = [
  // A temporary folder of a verification.
  "src/backup/verify-archive.ts",
  // The stage of a catalog, and drafts of skills: a tool's domain has neither.
  "src/engine/catalog-check/unpack-program.ts",
  "src/engine/learning/skill-review.ts",
  // A rehearsal has no tools, and no thread pool yet.
  "src/engine/spare/rehearse.ts",
  // Written by the daemon alone.
  "src/orchestrator/fleet/isolation/compile-cache.ts",
  // Folders in which no engine has run.
  "src/orchestrator/fleet/process/spares/open-spares.ts",
  "src/orchestrator/fleet/process/spawn-engine.ts",
  // PostgreSQL's own.
  "src/orchestrator/postgres/initialise-cluster.ts",
  "src/orchestrator/postgres/server-files.ts",
  "src/orchestrator/postgres/server-process.ts",
];

t.test("only folders in which no tool can write are removed by path", async (t) => {
  const byPath = filesWith(/\brm(?:Sync)?\([^;]*\brecursive: true|\brimraf\b|\brmdir(?:Sync)?\([^;]*\brecursive\b/);
  t.same(
    byPath.filter((file) => file.startsWith("src/")),
    REMOVED_BY_PATH,
  );
});

/** What runs once for each element of a list, all at the same time. Other lists can have thousands of elements. */
const ALL_AT_ONCE = [
  // The paths of a settings group.
  "src/orchestrator/daemon/isolation.ts",
  // Reads of folders, of which Node.js runs four at a time.
  "src/orchestrator/fleet/folders/folder-storage.ts",
  // At most 200, and one query for each product.
  "src/orchestrator/operations/take-due-runs.ts",
  // The libraries of one program.
  "src/orchestrator/postgres/server-files.ts",
  // Engines end at once, since each takes seconds. Their queries are bounded.
  "src/orchestrator/recovery/stop-fleet.ts",
];

t.test("what is done for each row is bounded, because the database has few connections", async (t) => {
  const unbounded = filesWith(/\bPromise\.(?:all|allSettled)\([\s\w.()[\]]*\.map\(/);
  t.same(
    unbounded.filter((file) => file.startsWith("src/orchestrator/")),
    ALL_AT_ONCE,
  );
});

t.test("one file handles signals", async (t) => {
  t.same(filesWith(/\bprocess\.on\(\s*"?SIG|process\.on\(signal/), ["src/shared/shutdown-signals.ts"]);
});

t.test("no two files of a program have the same name", async (t) => {
  const shared = Object.values(PROGRAMS).flatMap((rooms) => {
    const byName = Map.groupBy(
      files.filter((file) => withinAny(file, rooms)),
      (file) => basename(file),
    );
    return [...byName.values()].filter((same) => same.length > 1).map((same) => same.sort().join(", "));
  });
  t.same(shared, []);
});

t.test(`no file has more than ${MAX_LINES} lines`, async (t) => {
  t.same(
    files.filter((file) => lines(file) > MAX_LINES),
    [],
  );
});

function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(source(file))).sort();
}
