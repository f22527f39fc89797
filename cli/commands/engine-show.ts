import type { EngineRecord, EngineState } from "../../src/client/records.ts";
import { Option } from "commander";
import { listEngines } from "../list-engines.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { ENGINE_STATES } from "../../src/contract/orchestrator/records.ts";
import { safe } from "../output.ts";
import { fields, table } from "../table.ts";
import { ago } from "../times.ts";

export const engineShowCommand: CommandMaker = (engines, settings) => {
  engines
    .command("show <user>")
    .description("Show an engine and its last error")
    .addHelpText("after", example("orchctl engines show alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((orchestrator) => orchestrator.get(user), { user });
      print.document(engine, (columns) => describeEngine(engine, columns));
    });
};

interface Options {
  readonly state?: EngineState;
  readonly all: boolean;
}

const COLUMNS = ["USER", "STATE", "PORT", "PID", "RESTARTS", "SINCE", "VERSION", "ID"];
const row = ({ user_id, state, sleep, port, pid, restarts, started_at, version, id }: EngineRecord) => [
  user_id,
  sleep === null ? state : `${state} (${sleep.reason})`,
  port === null ? null : String(port),
  pid === null ? null : String(pid),
  String(restarts.count),
  ago(sleep?.since ?? started_at, Date.now()),
  version,
  id,
];

export const engineListCommand: CommandMaker = (engines, settings) => {
  engines
    .command("list")
    .description("List the product's engines")
    .addOption(new Option("--state <state>", "only engines in this state").choices(ENGINE_STATES))
    .option("--all", "engines of every product, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl engines list --state running"))
    .action(async ({ state, all }: Options, command) => {
      const session = sessionOf(command, settings);
      const listed = await listEngines(session, { state, all });
      const data = listed.map(({ product: _, ...engine }) => engine);
      session.print.document({ data, next_cursor: null }, (columns) =>
        all
          ? table(
              ["PRODUCT", ...COLUMNS],
              listed.map((engine) => [engine.product, ...row(engine)]),
              columns,
            )
          : table(COLUMNS, data.map(row), columns),
      );
    });
};

/** An engine's whole record for a person. */
function describeEngine(engine: EngineRecord, columns: number | null): string {
  const { api_key: key, health, restarts, last_error: error } = engine;
  const lines = fields(
    [
      ["user", safe(engine.user_id)],
      ["id", engine.id],
      ["state", `${engine.state} (wanted: ${engine.desired_state})`],
      ["url", engine.url],
      ["pid", engine.pid === null ? null : String(engine.pid)],
      ["version", engine.version],
      ["incarnation", engine.incarnation],
      // An older daemon omits it.
      ["plan", engine.plan ?? null],
      ["key", `${key.prefix}…${key.last4} since ${key.created_at}`],
      ["previous key", key.previous_expires_at === null ? null : `until ${key.previous_expires_at}`],
      [
        "health",
        `${health.status}, last ok ${health.last_ok_at ?? "never"}, ${health.consecutive_failures} failures in a row`,
      ],
      [
        "asleep",
        engine.sleep === null ? null : `since ${engine.sleep.since} (${engine.sleep.reason}); a call wakes it`,
      ],
      ["awake", engine.awake === null ? null : describeAwake(engine.awake)],
      // An older daemon omits it.
      ["usage", describeUsage(engine.usage ?? null)],
      ["catalog", describeCatalog(engine.catalog ?? null)],
      ["restarts", describeRestarts(restarts)],
      ["stopped because", engine.stop_reason === null ? null : safe(engine.stop_reason)],
      ["last active", engine.last_active_at],
      ["created", engine.created_at],
      ["started", engine.started_at],
      ["stopped", engine.stopped_at],
      ["metadata", Object.keys(engine.metadata).length === 0 ? null : safe(engine.metadata)],
    ],
    columns,
  );
  if (error === null) return lines;
  const how = [
    error.exit_code === null ? "" : `exit code ${error.exit_code}`,
    error.signal === null ? "" : `signal ${error.signal}`,
    error.oom ? "out of memory" : "",
  ].filter(Boolean);
  const tail = error.log_tail.map((line) => `    ${safe(line)}`);
  return [
    lines,
    "",
    `last error, at ${error.at}, ${error.phase}:`,
    `  ${safe(error.reason)}${how.length > 0 ? ` (${how.join(", ")})` : ""}`,
    ...(tail.length > 0 ? ["  its log ended:", ...tail] : []),
  ].join("\n");
}

function describeAwake(awake: NonNullable<EngineRecord["awake"]>): string {
  const { woken_by: by, kept_by: work, idle_since: since, learning_due_at: due } = awake;
  const now = work.length > 0 ? `works: ${work.join(", ")}` : since === null ? "" : `idle since ${since}`;
  const learns = due === null ? "" : `learns at ${due}, or before it sleeps`;
  return [by === null ? "" : `woken by ${by}`, now, learns].filter(Boolean).join("; ") || "yes";
}

/** The version of the product's catalog. Null for a product without one. */
function describeCatalog(catalog: EngineRecord["catalog"]): string | null {
  if (catalog === null || (catalog.error === null && catalog.version === 0)) return null;
  const used = catalog.version === null ? "unknown version" : `version ${catalog.version}`;
  return catalog.error === null ? used : `${used}; the current one does not load: ${safe(catalog.error)}`;
}

function describeUsage(usage: EngineRecord["usage"]): string | null {
  if (usage === null) return null;
  const { cpu_percent: cpu, memory_mb: memory, disk_mb: disk, active_turns: turns, work } = usage;
  return [
    ...(cpu === null ? [] : [`${cpu} % CPU`]),
    `${memory} MB memory`,
    ...(disk === null ? [] : [`${disk} MB disk`]),
    ...(turns === null ? [] : [`${turns} active ${turns === 1 ? "turn" : "turns"}`]),
    ...(work === null ? [] : [`${work.failed_turns} of ${work.turns} turns failed`, `${work.tokens} tokens`]),
  ].join(", ");
}

function describeRestarts({ count, window_started_at: since, next_at: next }: EngineRecord["restarts"]): string {
  return [`${count}${since === null ? "" : ` since ${since}`}`, ...(next === null ? [] : [`next at ${next}`])].join(
    ", ",
  );
}
