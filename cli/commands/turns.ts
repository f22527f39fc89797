import type { ModelRequestRecord, ModelRequestSummary, TurnRecord } from "../../src/client/records.ts";
import { withEngine } from "../connect-engine.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";

const SHOWN = 60;

interface ListOptions {
  readonly task?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export const turnsListCommand: CommandMaker = (turns, settings) => {
  turns
    .command("list <user>")
    .description("List an engine's turns, the newest first")
    .option("--task <id>", "only those of this task")
    .option("-n, --limit <count>", "how many at most", wholeNumber, 50)
    .option("--cursor <cursor>", "the cursor of the next page, as printed by the page before")
    .addHelpText("after", example("orchctl turns list alice"))
    .action(async (user: string, { task, limit, cursor }: ListOptions, command) => {
      const session = sessionOf(command, settings);
      const page = await withEngine(session, user, (engine) => engine.listTurns({ taskId: task, limit, cursor }));
      session.print.document(page, (columns) =>
        page.items.length === 0
          ? "no turns"
          : table(["STARTED", "STATE", "TASK", "MESSAGE", "ID"], page.items.map(turnRow), columns),
      );
      if (page.next_cursor !== null && !session.print.json)
        session.print.note(`More: --cursor ${safe(page.next_cursor)}`);
    });
};

export const turnsShowCommand: CommandMaker = (turns, settings) => {
  turns
    .command("show <user> <turn>")
    .description("Show a turn, and what its requests to the model consisted of")
    .option("--requests", "also list its model calls with their tokens by part of the context", false)
    .option("--request <number>", "show one request as it was sent, without keys", wholeNumber)
    .addHelpText("after", example("orchctl turns show alice turn_0198c1b2-… --requests"))
    .action(async (user: string, turnId: string, options: { requests: boolean; request?: number }, command) => {
      const session = sessionOf(command, settings);
      const { request: number } = options;
      if (number !== undefined) {
        const request = await withEngine(session, user, (engine) => engine.modelRequest(turnId, number));
        return session.print.document(request, () => requestText(request));
      }
      const found = await withEngine(session, user, async (engine) => ({
        ...(await engine.turn(turnId)),
        ...(options.requests && { calls: await engine.modelRequests(turnId) }),
      }));
      session.print.document(found, (columns) => {
        const { calls, ...turn } = found;
        const { output, ...record } = turn;
        const rows = Object.entries({ ...record, ...(output && { output: JSON.stringify(output) }) });
        const shown = fields(rows, columns);
        if (calls === undefined) return shown;
        if (!calls.kept) return `${shown}\n\nrequests are not kept: ENGINE_KEEP_REQUESTS is off`;
        if (calls.requests.length === 0) return `${shown}\n\nno requests are kept; they are for 24 hours`;
        return `${shown}\n\n${table(CALL_COLUMNS, calls.requests.map(callRow), columns)}`;
      });
    });
};

const CALL_COLUMNS = "NO MS INPUT OUTPUT CACHED SYSTEM TOOLS RECALLED CONTEXT HISTORY MESSAGE STEPS FILES END".split(
  " ",
);

const turnRow = ({ started_at, state, error, task_id, message, turn_id }: TurnRecord) => [
  started_at.slice(0, 19).replace("T", " "),
  error ?? state,
  task_id,
  message.replaceAll(/\s+/g, " ").slice(0, SHOWN).toWellFormed(),
  turn_id,
];

function callRow({ number, duration_ms, usage, cache_share, context, reason }: ModelRequestSummary) {
  const { system, tools, recalled, context: given, history, message, steps, attachments } = context.parts;
  return [
    String(number),
    String(duration_ms),
    usage === null ? null : String(usage.input_tokens),
    usage === null ? null : String(usage.output_tokens),
    cache_share === null ? null : `${Math.round(cache_share * 100)} %`,
    ...[system, tools, recalled, given, history, message, steps, attachments].map(String),
    reason,
  ];
}

function requestText({ method, path, headers, body, truncated }: ModelRequestRecord): string {
  const head = method === null ? [] : [`${method} ${safe(path)}`];
  const lines = Object.entries(headers).map(([name, value]) => `${safe(name)}: ${safe(value)}`);
  const text = typeof body === "string" ? safe(body) : JSON.stringify(body ?? null, null, 2);
  return [...head, ...lines, "", truncated ? `${text}\n(truncated)` : text].join("\n");
}
