import type { TaskMessage, TaskRecord } from "../../src/client/records.ts";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { collected, wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";
import { confirm, destructive } from "../confirm.ts";
import { ago } from "../times.ts";
import { writeLines } from "../write-lines.ts";

const PAGE = 200;

interface ListOptions {
  readonly search?: string;
  readonly archived: boolean;
  readonly all: boolean;
  readonly agent?: string;
  readonly metadata?: readonly string[];
  readonly limit: number;
  readonly cursor?: string;
}

const listCommand: CommandMaker = (tasks, settings) => {
  tasks
    .command("list <user>")
    .alias("ls")
    .description("List an engine's conversations, the latest activity first")
    .option("--search <words>", "only those with all of these words in a message or in the title")
    .option("--archived", "only archived ones", false)
    .option("--all", "archived ones too", false)
    .option("--agent <name>", "only those whose last turn this agent ran")
    .option("--metadata <name=value>", "only those with this metadata; repeat it for more keys", collected)
    .option("-n, --limit <count>", "how many at most", wholeNumber, 50)
    .option("--cursor <cursor>", "the cursor of the next page, as printed by the page before")
    .addHelpText("after", example('orchctl tasks list alice --search "printer offer"'))
    .action(async (user: string, options: ListOptions, command) => {
      const session = sessionOf(command, settings);
      const { search: q, agent, limit, cursor } = options;
      const archived = options.all ? "any" : options.archived ? "true" : "false";
      const metadata = metadataOf(options.metadata ?? []);
      const page = await withEngine(session, user, (engine) =>
        engine.listTasks({ q, agent, archived, limit, cursor, ...metadata }),
      );
      session.print.document(page, (columns) =>
        page.items.length === 0
          ? "no conversations"
          : table(["ACTIVE", "STATE", "MESSAGES", "TITLE", "TASK"], page.items.map(row), columns),
      );
      if (page.next_cursor !== null && !session.print.json)
        session.print.note(`More: --cursor ${safe(page.next_cursor)}`);
    });
};

const showCommand: CommandMaker = (tasks, settings) => {
  tasks
    .command("show <user> <task>")
    .description("Show a conversation with its last messages")
    .option("-n, --limit <count>", "how many messages", wholeNumber, 20)
    .addHelpText("after", example("orchctl tasks show alice chat-20261121-0615-7f3a9c"))
    .action(async (user: string, taskId: string, { limit }: { limit: number }, command) => {
      const session = sessionOf(command, settings);
      const shown = await withEngine(session, user, async (engine) => ({
        task: await engine.task(taskId),
        messages: (await engine.taskMessages(taskId, { limit })).items,
        waiting: await engine.inbox(taskId),
      }));
      session.print.document(shown, (columns) =>
        [
          fields(facts(shown.task), columns),
          ...shown.messages.map(messageText),
          ...shown.waiting.map(({ position, text }) => `waits ${position}: ${safe(text)}`),
        ].join("\n\n"),
      );
    });
};

const renameCommand: CommandMaker = (tasks, settings) => {
  tasks
    .command("rename <user> <task> <title...>")
    .description("Give a conversation a title of your own")
    .addHelpText("after", example("orchctl tasks rename alice t1 Offers of the printers"))
    .action(async (user: string, taskId: string, title: string[], _options, command) => {
      const session = sessionOf(command, settings);
      const changed = await withEngine(session, user, (engine) =>
        engine.changeTask(taskId, { title: title.join(" ") }),
      );
      session.print.document(changed, () => `${safe(taskId)} is now “${safe(changed.title)}”`);
    });
};

const archiveCommand: CommandMaker = (tasks, settings) => {
  tasks
    .command("archive <user> <task>")
    .description("Take a conversation from lists, or put it back")
    .option("--undo", "put it back", false)
    .addHelpText("after", example("orchctl tasks archive alice t1"))
    .action(async (user: string, taskId: string, { undo }: { undo: boolean }, command) => {
      const session = sessionOf(command, settings);
      const changed = await withEngine(session, user, (engine) => engine.changeTask(taskId, { archived: !undo }));
      session.print.document(changed, () => `${safe(taskId)} is ${changed.archived ? "archived" : "in lists again"}`);
    });
};

interface DeleteOptions {
  readonly forget: boolean;
  readonly yes: boolean;
}

const deleteCommand: CommandMaker = (tasks, settings) => {
  destructive(tasks.command("delete <user> <task>"))
    .alias("rm")
    .description("Delete a conversation with its messages")
    .option("--forget", "also what the memory has learned from it alone", false)
    .addHelpText("after", example("orchctl tasks delete alice t1 --forget"))
    .action(async (user: string, taskId: string, { forget, yes }: DeleteOptions, command) => {
      const session = sessionOf(command, settings);
      const also = forget ? ", and what the memory has learned from it alone" : "";
      await confirm(`Delete the conversation ${safe(taskId)}${also}?`, {
        yes,
        context: { user, url: session.settings.url },
      });
      const gone = await withEngine(session, user, (engine) => engine.deleteTask(taskId, { forget }));
      session.print.document(gone, () => {
        const learned = gone.forgotten === null ? "" : `; forgotten: ${countsText(gone.forgotten)}`;
        return `deleted ${safe(taskId)}: ${countsText(gone.deleted)}${learned}`;
      });
    });
};

const exportCommand: CommandMaker = (tasks, settings) => {
  tasks
    .command("export <user> <task>")
    .description("Export a conversation as lines of JSON: its record, then each message")
    .option("-o, --output <file>", "the file to write; it appears when it is complete")
    .addHelpText("after", example("orchctl tasks export alice t1 --output t1.jsonl"))
    .action(async (user: string, taskId: string, { output }: { output?: string }, command) => {
      const session = sessionOf(command, settings);
      const messages = await withEngine(session, user, async (engine) => {
        if (output !== undefined) return writeLines(output, exported(engine, taskId));
        let lines = 0;
        for await (const line of exported(engine, taskId)) {
          session.print.record(line);
          lines++;
        }
        return lines;
      });
      if (output === undefined) return;
      session.print.document(
        { file: output, messages: messages - 1 },
        () => `${safe(output)} has ${messages - 1} messages`,
      );
    });
};

export const TASK_COMMANDS: readonly CommandMaker[] = [
  listCommand,
  showCommand,
  renameCommand,
  archiveCommand,
  deleteCommand,
  exportCommand,
];

async function* exported(engine: EngineClient, taskId: string): AsyncGenerator<object> {
  yield { type: "task", ...(await engine.task(taskId)) };
  const pages: (readonly TaskMessage[])[] = [];
  let before: string | undefined;
  do {
    const page = await engine.taskMessages(taskId, { limit: PAGE, ...(before !== undefined && { before }) });
    pages.push(page.items);
    before = page.before ?? undefined;
  } while (before !== undefined);
  for (const page of pages.toReversed()) for (const message of page) yield { type: "message", ...message };
}

/** The query of `--metadata name=value`. */
function metadataOf(given: readonly string[]): { readonly metadata?: Readonly<Record<string, string>> } {
  if (given.length === 0) return {};
  const pairs = given.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new CliFailure("usage", `--metadata: expected name=value, not ${safe(text)}`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return { metadata: Object.fromEntries(pairs) };
}

const row = ({ last_active_at, state, archived, message_count, title, task_id }: TaskRecord) => [
  ago(last_active_at, Date.now()),
  archived ? "archived" : state,
  String(message_count),
  title,
  task_id,
];

const facts = (task: TaskRecord): readonly (readonly [string, string | null])[] => [
  ["title", task.title],
  ["task", task.task_id],
  ["state", task.archived ? `${task.state}, archived` : task.state],
  ["agent", task.agent],
  ["created", task.created_at],
  ["active", task.last_active_at],
  ["messages", String(task.message_count)],
  ["open questions", String(task.open_requests)],
  ["tokens", `${task.usage.input_tokens} in, ${task.usage.output_tokens} out`],
  ["metadata", Object.keys(task.metadata).length === 0 ? null : JSON.stringify(task.metadata)],
  ["forked from", task.parent === null ? null : task.parent.task_id],
];

function messageText({ role, created_at, parts }: TaskMessage): string {
  return [`${role}, ${created_at}`, ...parts.map((part) => `  ${partText(part)}`)].join("\n");
}

function partText(part: TaskMessage["parts"][number]): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return safe(part.text);
    case "tool":
      return `▸ ${safe(part.tool)} ${safe(JSON.stringify(part.input))}: ${part.error === null ? part.status : safe(part.error)}`;
    case "attachment":
      return `+ ${safe(part.name ?? part.path)}`;
    case "artifact":
      return `= ${safe(part.title)}: ${safe(part.path)}, version ${part.version}`;
    case "question":
      return `? ${safe(part.question)} ${safe(part.answer ?? part.status)}`;
    case "error":
      return `failed: ${safe(part.error)}`;
    case "context":
      return `context ${safe(part.name)}`;
    default:
      return "";
  }
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${safe(name)}`)
    .join(", ");
