import * as z from "zod/mini";
import { ENGINE_ERRORS } from "../src/contract/engine/errors.ts";
import { EVENT_GROUPS } from "../src/contract/engine/event-groups.ts";
import { ENGINE_EXITS } from "../src/contract/engine/exit.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../src/contract/engine/routes.ts";
import { PROTOCOL_ROUTES, type ProtocolRoute } from "../src/contract/engine/protocol-routes.ts";
import { PROTOCOLS } from "../src/contract/engine/protocols.ts";
import { SCOPES } from "../src/contract/engine/scopes.ts";
import { END_USERS_MEANINGS } from "../src/contract/orchestrator/end-users.ts";
import { TOOL_HOOK_MEANINGS } from "../src/contract/orchestrator/tool-hook.ts";
import { TASK_EVENTS } from "../src/contract/engine/task.ts";
import { ENGINE_TOOLS } from "../src/contract/engine/tool-names.ts";
import { ENGINE_METRICS, type EngineMetricRow } from "../src/contract/engine/metrics.ts";
import { ORCHESTRATOR_ERRORS } from "../src/contract/orchestrator/errors.ts";
import { ORCHESTRATOR_EVENTS } from "../src/contract/orchestrator/event-types.ts";
import { ORCHESTRATOR_ROUTES } from "../src/contract/orchestrator/routes.ts";
import { type Route, SMALL_BODY_BYTES } from "../src/contract/orchestrator/routes/route-row.ts";
import { ENGINE_POLICY_FIELDS } from "../src/contract/orchestrator/engine-policy.ts";
import { POLICY_FIELDS, type PolicyField } from "../src/contract/orchestrator/policy-fields.ts";
import type { RouteRow } from "../src/contract/route-table.ts";
import { shippedEntries } from "../src/engine/catalog/defaults/shipped.ts";
import { FACT_MEANINGS } from "../src/engine/tools/call-facts.ts";
import { type BuiltInParts, builtInTools } from "../src/engine/tools/built-in-tools.ts";
import { DAEMON_METRICS } from "../src/orchestrator/status/metric-rows.ts";
import { productMethodRows } from "./client-methods.ts";
import { signatureRows } from "./client-signatures.ts";
import { commandTables } from "./command-tables.ts";
import { foundRows } from "../test/sim/found.ts";
import { reliabilityRows } from "./reliability-rows.ts";
import { eventTable, partTable, recordTable } from "./record-table.ts";
import { settingTables } from "./setting-tables.ts";

/** A table of the documentation that follows from the code. It stands after `<!-- marker -->`. */
export interface DocumentTable {
  /** Path in the repository. */
  readonly file: string;
  readonly marker: string;
  readonly head: readonly string[];
  /** Cells are Markdown, with links as from docs/. */
  readonly rows: readonly (readonly string[])[];
}

const code = (text: string): string => `\`${text}\``;

const toolParts = { commands: { network: {} }, memory: {}, plans: {} } as BuiltInParts;
const ASKING = new Set(builtInTools(toolParts).flatMap(({ name, permission }) => (permission === "ask" ? name : [])));

/** The role that a session of the console needs. */
const roleText = ({ role }: Pick<Route, "role">): string => role ?? "";

/** A body with more fields has a table of its own. */
const MAX_FIELDS = 12;

export const DOCUMENT_TABLES: readonly DocumentTable[] = [
  {
    file: "docs/orchestrator-api.md",
    marker: "routes",
    head: ["route", "key", "role", "takes", "purpose"],
    rows: Object.values<Route>(ORCHESTRATOR_ROUTES).map((row) => [
      code(`${row.method} ${row.path}`),
      row.auth,
      roleText(row),
      takenBy(row),
      row.summary,
    ]),
  },
  {
    file: "docs/engine-api.md",
    marker: "engine routes",
    head: ["route", "role", "scope", "takes", "purpose"],
    rows: Object.values<EngineRoute>(ENGINE_ROUTES).flatMap((row) => {
      if (row.auth === "control") return [];
      const scope = row.scope === undefined ? "" : code(row.scope);
      return [[code(`${row.method} ${row.path}`), roleText(row), scope, takenBy(row), row.summary]];
    }),
  },
  {
    file: "docs/protocols.md",
    marker: "protocol routes",
    head: ["protocol", "route", "scope", "purpose"],
    rows: Object.values<ProtocolRoute>(PROTOCOL_ROUTES).map(({ protocol, method, path, scope, summary }) => [
      `${PROTOCOLS[protocol].title} ${PROTOCOLS[protocol].version}`,
      code(`${method} ${path}`),
      code(scope),
      summary,
    ]),
  },
  {
    file: "docs/conversations.md",
    marker: "events on request",
    head: ["group", "events"],
    rows: Object.entries(EVENT_GROUPS).map(([group, types]) => [code(group), types.map(code).join(", ")]),
  },
  {
    file: "docs/reliability.md",
    marker: "long runs",
    head: ["run", "promise", "what is done meanwhile", "held", "figures", "when, commit, duration"],
    rows: reliabilityRows(),
  },
  {
    file: "test/sim/README.md",
    marker: "bugs put in",
    head: ["bug", "seeds until it shows", "first seed", "broken invariant"],
    rows: foundRows(),
  },
  ...(["engine", "orchestrator"] as const).map((client) => ({
    file: "docs/client.md",
    marker: `${client} signatures`,
    head: ["method", "returns", "example"],
    rows: signatureRows(client),
  })),
  {
    file: "docs/orchestrator-api.md",
    marker: "bodies",
    head: ["route", "largest body"],
    rows: [
      ...Object.values<Route>(ORCHESTRATOR_ROUTES).flatMap(({ method, path, maxBodyBytes }) =>
        maxBodyBytes === undefined ? [] : [[code(`${method} ${path}`), `${maxBodyBytes / 1024} KiB`]],
      ),
      ["others", `${SMALL_BODY_BYTES / 1024} KiB`],
    ],
  },
  {
    file: "docs/orchestrator-api.md",
    marker: "orchestrator errors",
    head: ["code", "status", "cause", "retry"],
    rows: Object.entries(ORCHESTRATOR_ERRORS).map(([name, { status, cause, retry }]) => [
      code(name),
      String(status),
      cause,
      retry,
    ]),
  },
  {
    file: "docs/orchestrator-api.md",
    marker: "engine exit codes",
    head: ["exit code", "cause", "restart"],
    rows: Object.values(ENGINE_EXITS).map((exit) => [String(exit.code), exit.cause, exit.restart.replaceAll("_", " ")]),
  },
  {
    file: "docs/orchestrator-api.md",
    marker: "events",
    head: ["event", "meaning"],
    rows: Object.entries(ORCHESTRATOR_EVENTS).map(([type, meaning]) => [code(type), meaning]),
  },
  {
    file: "docs/orchestrator-api.md",
    marker: "policy",
    head: ["field", "default", "meaning", "takes effect"],
    rows: [
      ...Object.entries<PolicyField>(POLICY_FIELDS).map(([name, row]) => [
        code(name),
        defaultOf(row),
        [row.meaning, boundsOf(row)].filter(Boolean).join(" "),
        row.takesEffect,
      ]),
      [code("engine_env"), code("{}"), "Settings for this product's engines.", "next start"],
    ],
  },
  {
    file: "docs/plans.md",
    marker: "plan fields",
    head: ["field", "meaning", "takes effect"],
    rows: ENGINE_POLICY_FIELDS.map((name) => [
      code(name),
      POLICY_FIELDS[name].meaning,
      POLICY_FIELDS[name].takesEffect,
    ]),
  },
  {
    file: "docs/engine-api.md",
    marker: "engine errors",
    head: ["code", "status", "cause"],
    rows: Object.entries(ENGINE_ERRORS).map(([name, { status, cause }]) => [
      code(name),
      status === null ? "in a stream" : String(status),
      cause,
    ]),
  },
  {
    file: "docs/catalog.md",
    marker: "tools",
    head: ["tool", "purpose", "asks first"],
    rows: [
      ...Object.entries(ENGINE_TOOLS).map(([name, purpose]) => [code(name), purpose, ASKING.has(name) ? "yes" : ""]),
      ...[...shippedEntries().tools.values()].map(({ name, description }) => [
        code(name),
        `${description} A tool of the shipped catalog.`,
        "",
      ]),
    ],
  },
  {
    file: "docs/catalog.md",
    marker: "tool placeholders",
    head: ["placeholder", "value"],
    rows: Object.entries(FACT_MEANINGS).map(([name, meaning]) => [code(`{{${name}}}`), meaning]),
  },
  {
    file: "docs/client.md",
    marker: "orchestrator client calls",
    head: ["orchestrator client", "purpose"],
    rows: productMethodRows(),
  },
  recordTable("docs/orchestrator-api.md", "engine record", "EngineRecord"),
  recordTable("docs/engine-api.md", "health", "EngineHealth"),
  recordTable("docs/engine-api.md", "execute request", "ExecuteRequest"),
  eventTable("docs/engine-api.md", "engine events"),
  recordTable("docs/engine-api.md", "model request", "ModelRequest"),
  recordTable("docs/notifications.md", "endpoint request", "CreateEndpointRequest"),
  recordTable("docs/secrets.md", "secret", "SetProductSecretRequest"),
  recordTable("docs/browser.md", "user token", "CreateUserTokenRequest"),
  {
    file: "docs/browser.md",
    marker: "end users",
    head: ["field", "meaning"],
    rows: Object.entries(END_USERS_MEANINGS).map(([name, meaning]) => [code(name), meaning]),
  },
  {
    file: "docs/catalog.md",
    marker: "tool hook",
    head: ["field", "meaning"],
    rows: Object.entries(TOOL_HOOK_MEANINGS).map(([name, meaning]) => [code(name), meaning]),
  },
  {
    file: "docs/browser.md",
    marker: "scopes",
    head: ["scope", "permits"],
    rows: Object.entries(SCOPES).map(([name, meaning]) => [code(name), meaning]),
  },
  recordTable("docs/conversations.md", "task record", "TaskRecord"),
  partTable("docs/conversations.md", "message parts", "TaskMessagePart"),
  {
    file: "docs/conversations.md",
    marker: "task events",
    head: ["event", "meaning"],
    rows: Object.entries(TASK_EVENTS).map(([type, { meaning }]) => [code(type), meaning]),
  },
  recordTable("docs/attachments.md", "attachment part", "AttachmentPart"),
  recordTable("docs/attachments.md", "attachment record", "AttachmentRecord"),
  recordTable("docs/files.md", "file entry", "FileEntry"),
  recordTable("docs/files.md", "move request", "MoveFileRequest"),
  recordTable("docs/files.md", "file link", "FileLink"),
  recordTable("docs/files.md", "artifact", "Artifact"),
  recordTable("docs/memory.md", "search request", "SearchMemoryRequest"),
  ...settingTables(),
  recordTable("docs/orchestrator-api.md", "event record", "EventRecord"),
  recordTable("docs/orchestrator-api.md", "session record", "SessionRecord"),
  recordTable("docs/orchestrator-api.md", "samples", "UsageSamples"),
  recordTable("docs/schedules.md", "schedule fields", "CreateScheduleRequest"),
  recordTable("docs/schedules.md", "webhook fields", "CreateWebhookRequest"),
  {
    file: "docs/operating.md",
    marker: "metrics",
    head: ["metric", "labels", "meaning"],
    rows: [
      ...Object.entries(DAEMON_METRICS).map(([name, row]) => metricRow(name, row.kind, row.labels, row.help)),
      ...Object.entries<EngineMetricRow>(ENGINE_METRICS).map(([name, row]) =>
        metricRow(name, row.kind, ["product", ...Object.keys(row.labels)], row.help),
      ),
    ],
  },
  ...commandTables(),
];

/** The fields of a route's body, `?` after those that may be left out, and its query parameters. */
function takenBy({ request, query = {} }: RouteRow<string, string, string>): string {
  const fields = Object.entries(request?.def.shape ?? {}).map(
    ([name, schema]) => name + (z.safeParse(schema, undefined).success ? "?" : ""),
  );
  const named = fields.length > MAX_FIELDS ? [...fields.slice(0, 3), "…"] : fields;
  const parameters = Object.keys(query);
  return [
    named.length > 0 ? code(`{${named.join(", ")}}`) : "",
    parameters.length > 0 ? code(`?${parameters.join("&")}`) : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function metricRow(name: string, kind: string, labels: readonly string[], help: string): readonly string[] {
  return [code(name), labels.map(code).join(", "), kind === "histogram" ? `histogram: ${help}` : help];
}

function defaultOf({ value, default: fallback }: PolicyField): string {
  if (value.kind === "choices" && fallback === value.values) return "all";
  return typeof fallback === "number" ? String(fallback) : code(JSON.stringify(fallback));
}

function boundsOf({ value, unit }: PolicyField): string {
  switch (value.kind) {
    case "integer":
      if (value.isNullable) return "`null` is no limit.";
      return value.max === undefined ? "" : `${value.min} to ${value.max}${unit === undefined ? "" : ` ${unit}`}.`;
    case "choices":
      return `Any of ${value.values.map(code).join(", ")}.`;
    case "network":
      return `At most ${value.maxHosts} hosts.`;
    case "list":
      return `At most ${value.max}.${value.isNullable ? " `null` is every one." : ""}`;
    case "ports":
      return `At most ${value.maxPorts}, from ${value.min} to ${value.max}.`;
    case "models":
      return `At most ${value.maxModels}.${value.isNullable ? " `null` is every model." : ""}`;
    case "switch":
    case "choice":
    case "budgets":
    case "end_users":
    case "tool_hook":
      return "";
    default:
      return value satisfies never;
  }
}
