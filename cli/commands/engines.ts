import type { Command } from "commander";
import { ENGINE_STATES, type EngineRecord, type Page } from "../../src/contract/orchestrator-api.ts";
import { describeEngine } from "../describe-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { pathSegment } from "../http.ts";
import { safe, table } from "../output.ts";
import { confirm, secretFromFile } from "../secret-input.ts";
import { type Session, example, sessionOf } from "../session.ts";
import type { Settings } from "../settings.ts";
import { wholeNumber } from "./products.ts";

type WithKey = EngineRecord & { readonly engine_api_key?: string | null };

const enginePath = (user: string): string => `/engines/${pathSegment(user)}`;

/** `orchctl engines …`: one engine a user. */
export function engineCommands(program: Command, settings: Settings): void {
  const engines = program.command("engines").description("Provision, start, stop and look after engines");

  for (const verb of ["provision", "admit"] as const) {
    engines
      .command(`${verb} <user>`)
      .description(
        verb === "provision"
          ? "Create the user's engine; its key is shown once and kept for the next commands"
          : "The user's engine: created if there is none, started if it is stopped",
      )
      .option("--no-start", "do not start it")
      .option("--metadata <file>", "a JSON object to keep with it; - is standard input")
      .option("--no-save", "do not keep the key")
      .addHelpText("after", example(`orchctl engines ${verb} alice`))
      .action(async (user: string, options: { start: boolean; metadata?: string; save: boolean }, command: Command) => {
        const session = sessionOf(command, settings);
        const metadata =
          options.metadata === undefined ? undefined : jsonObject(await secretFromFile(options.metadata));
        const body = { user_id: user, ...(metadata && { metadata }), ...(options.start ? {} : { start: false }) };
        const engine = (await session.client.platform(`/engines/${verb}`, { method: "POST", body })) as WithKey;
        await showWithKey(session, engine, options.save);
      });
  }

  engines
    .command("list")
    .description("List the product's engines")
    .option("--state <state>", `only those in this state: ${ENGINE_STATES.join(", ")}`)
    .addHelpText("after", example("orchctl engines list --state running"))
    .action(async (options: { state?: string }, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const data: EngineRecord[] = [];
      const state = options.state === undefined ? "" : `&state=${encodeURIComponent(options.state)}`;
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = (await client.platform(
          `/engines?limit=200${state}${cursor && `&cursor=${cursor}`}`,
        )) as Page<EngineRecord>;
        data.push(...page.data);
        cursor = page.next_cursor;
      }
      const row = (engine: EngineRecord) => [
        engine.user_id,
        engine.state,
        String(engine.port),
        engine.pid === null ? null : String(engine.pid),
        String(engine.restarts.count),
        engine.started_at,
        engine.id,
      ];
      print.document({ data, next_cursor: null }, () =>
        table(["USER", "STATE", "PORT", "PID", "RESTARTS", "STARTED", "ID"], data.map(row)),
      );
    });

  engines
    .command("show <user>")
    .description("Show an engine, with what went wrong last")
    .addHelpText("after", example("orchctl engines show alice"))
    .action(async (user: string, _options: unknown, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = (await client.platform(enginePath(user))) as EngineRecord;
      print.document(engine, () => describeEngine(engine));
    });

  engines
    .command("start <user>")
    .description("Start a stopped engine")
    .addHelpText("after", example("orchctl engines start alice"))
    .action(async (user: string, _options: unknown, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const engine = (await client.platform(`${enginePath(user)}/start`, { method: "POST", body: {} })) as EngineRecord;
      print.document(engine, () => `${safe(user)} is ${engine.state} at ${engine.url}`);
    });

  engines
    .command("stop <user>")
    .description("Stop an engine, once its running turns have ended")
    .option("--drain <seconds>", "how long to wait for them", wholeNumber)
    .option("--force", "do not wait", false)
    .addHelpText("after", example("orchctl engines stop alice --drain 5"))
    .action(async (user: string, options: { drain?: number; force: boolean }, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const body = {
        ...(options.drain !== undefined && { drain_s: options.drain }),
        ...(options.force && { force: true }),
      };
      const engine = (await client.platform(`${enginePath(user)}/stop`, { method: "POST", body })) as EngineRecord & {
        stop_result: string;
      };
      print.document(engine, () => `${safe(user)} is ${engine.state} (${engine.stop_result})`);
    });

  engines
    .command("rotate-key <user>")
    .description("Replace a running engine's key; open streams go on")
    .option("--grace <seconds>", "how long the old key still works", wholeNumber, 0)
    .option("--no-save", "do not keep the new key")
    .addHelpText("after", example("orchctl engines rotate-key alice --grace 600"))
    .action(async (user: string, options: { grace: number; save: boolean }, command: Command) => {
      const session = sessionOf(command, settings);
      const body = { grace_s: options.grace };
      await showWithKey(
        session,
        (await session.client.platform(`${enginePath(user)}/rotate-key`, { method: "POST", body })) as WithKey,
        options.save,
      );
    });

  engines
    .command("destroy <user>")
    .description("Destroy an engine and its data")
    .option("--keep-data", "keep the data for the user's next engine", false)
    .option("-y, --yes", "do not ask", false)
    .option("--dry-run", "only say what would be destroyed", false)
    .addHelpText("after", example("orchctl engines destroy alice --keep-data"))
    .action(async (user: string, options: { keepData: boolean; yes: boolean; dryRun: boolean }, command: Command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      if (options.dryRun) {
        const engine = (await client.platform(enginePath(user))) as EngineRecord;
        const { id, state, port, pid } = engine;
        const data = options.keepData ? "its data is kept" : "its data is removed";
        return print.document(
          { would_destroy: { id, user_id: user, state, port, pid } },
          () => `would destroy ${id} (${state}, port ${port}, pid ${pid ?? "none"}); ${data}`,
        );
      }
      const what = `${safe(user)}${options.keepData ? "" : " and all its data"}`;
      if (!options.yes && process.stdin.isTTY && !(await confirm(`Destroy the engine of ${what}?`))) {
        throw new CliFailure("usage", "not destroyed");
      }
      const answer = await client.platform(`${enginePath(user)}?keep_data=${options.keepData}`, { method: "DELETE" });
      await credentials.saveEngineKey(await client.product(), user, null);
      print.document(answer, () => `the engine of ${safe(user)} is destroyed`);
    });

  engines
    .command("wait <user>")
    .description("Wait until an engine is in a state")
    .option("--state <state>", "the state to wait for", "running")
    .option("--timeout <seconds>", "how long", wholeNumber, 60)
    .addHelpText("after", example("orchctl engines wait alice --state running --timeout 30"))
    .action(async (user: string, options: { state: string; timeout: number }, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const query = `state=${encodeURIComponent(options.state)}&timeout_s=${options.timeout}`;
      const engine = (await client.platform(`${enginePath(user)}/wait?${query}`)) as EngineRecord;
      print.document(engine, () => `${safe(user)} is ${engine.state}`);
    });
}

async function showWithKey({ client, credentials, print }: Session, engine: WithKey, save: boolean): Promise<void> {
  const { engine_api_key: key } = engine;
  const shown = typeof key === "string";
  const saved = shown && save && (await credentials.saveEngineKey(await client.product(), engine.user_id, key));
  print.document(engine, () =>
    [
      `${safe(engine.user_id)} is ${engine.state} at ${engine.url}`,
      ...(shown ? ["", "Engine key, shown only now:", `  ${key}`] : []),
    ].join("\n"),
  );
  if (saved) print.note(`Kept in ${credentials.path}.`);
}

function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new CliFailure(
      "usage",
      `--metadata: expected JSON (${error instanceof Error ? error.message : String(error)})`,
    );
  }
  throw new CliFailure("usage", "--metadata: expected a JSON object");
}
