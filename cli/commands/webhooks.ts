import type { OrchestratorClient } from "../../src/client/orchestrator-client.ts";
import type { WebhookWithSecret } from "../../src/client/schedules.ts";
import type { WebhookRecord } from "../../src/contract/schedule-records.ts";
import { findWebhook, firstRuns, runTable } from "../schedule-names.ts";
import { duration, wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";
import { ago } from "../times.ts";

interface CreateOptions {
  readonly task?: string;
  readonly agent?: string;
  readonly limit?: number;
}

export const webhookCreateCommand: CommandMaker = (webhooks, settings) => {
  webhooks
    .command("create <user> <name> <template...>")
    .description("Create a webhook that sends what it receives to a user's engine, and show its secret once")
    .option("--task <id>", "the conversation of every message (default: one for each)")
    .option("--agent <name>", "the agent that answers")
    .option("--limit <n>", "messages per minute (default: 60)", wholeNumber)
    .addHelpText("after", example('orchctl webhooks create alice orders "A new order came: {{payload}}"'))
    .action(async (user: string, name: string, words: string[], { task, agent, limit }: CreateOptions, command) => {
      const session = sessionOf(command, settings);
      const request = {
        name,
        template: words.join(" "),
        ...(task !== undefined && { task_id: task }),
        ...(agent !== undefined && { agent }),
        ...(limit !== undefined && { requests_per_minute: limit }),
      };
      const made = await session.client.platform((orchestrator) => orchestrator.webhooks.create(user, request), {
        user,
      });
      showSecret(session, made);
    });
};

/** Prints a webhook with its secret to standard output. The secret is not stored. */
function showSecret({ print, settings }: Session, webhook: WebhookWithSecret): void {
  print.document(webhook, (columns) =>
    fields(
      [
        ["address", settings.url + webhook.path],
        ["secret", webhook.secret],
      ],
      columns,
    ),
  );
}

export const webhookListCommand: CommandMaker = (webhooks, settings) => {
  webhooks
    .command("list <user>")
    .alias("ls")
    .description("List a user's webhooks with their last runs")
    .addHelpText("after", example("orchctl webhooks list alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const data = await client.platform((orchestrator) => Array.fromAsync(orchestrator.webhooks.list(user)), { user });
      const rows = data.map(({ name, enabled, path, last_run: last, id }) => [
        name,
        enabled ? "on" : "paused",
        path,
        last && `${last.state} ${ago(last.ended_at ?? last.due_at, Date.now())}`,
        id,
      ]);
      print.document({ data, next_cursor: null }, (columns) =>
        table(["NAME", "STATE", "PATH", "LAST", "ID"], rows, columns),
      );
    });
};

export const webhookShowCommand: CommandMaker = (webhooks, settings) => {
  webhooks
    .command("show <user> <name>")
    .description("Show a webhook with its last runs, without its secret")
    .addHelpText("after", example("orchctl webhooks show alice orders"))
    .action(async (user: string, name: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const { webhook, runs } = await client.platform(
        async (orchestrator) => {
          const webhook = await findWebhook(orchestrator, user, name);
          return { webhook, runs: await firstRuns(orchestrator.webhooks.runs(user, webhook.id)) };
        },
        { user },
      );
      print.document({ ...webhook, runs }, (columns) =>
        [describe(webhook, settings.url, columns), "", runTable(runs, columns)].join("\n"),
      );
    });
};

const describe = (webhook: WebhookRecord, url: string, columns: number | null): string =>
  fields(
    [
      ["name", webhook.name],
      ["id", webhook.id],
      ["address", url + webhook.path],
      ["state", webhook.enabled ? "on" : "paused"],
      ["template", webhook.template],
      ["conversation", webhook.task_id ?? "one for each message"],
      ["agent", webhook.agent],
      ["messages per minute", String(webhook.requests_per_minute)],
    ],
    columns,
  );

type Verb = "pause" | "resume" | "delete";

/** Commands on one webhook that have no options. */
const verbCommand =
  (
    verb: Verb,
    description: string,
    call: (client: OrchestratorClient, user: string, id: string) => Promise<object>,
  ): CommandMaker =>
  (webhooks, settings) => {
    const command = webhooks
      .command(`${verb} <user> <name>`)
      .description(description)
      .addHelpText("after", example(`orchctl webhooks ${verb} alice orders`))
      .action(async (user: string, name: string, _options, self) => {
        const { client, print } = sessionOf(self, settings);
        const result = await client.platform(
          async (orchestrator) => call(orchestrator, user, (await findWebhook(orchestrator, user, name)).id),
          { user },
        );
        print.document(result, () => `${verb}d ${safe(name)}`);
      });
    if (verb === "delete") command.alias("rm");
  };

export const webhookPauseCommand = verbCommand("pause", "Refuse a webhook's messages", (client, user, id) =>
  client.webhooks.change(user, id, { enabled: false }),
);
export const webhookResumeCommand = verbCommand("resume", "Accept a webhook's messages again", (client, user, id) =>
  client.webhooks.change(user, id, { enabled: true }),
);
export const webhookDeleteCommand = verbCommand("delete", "Delete a webhook and its runs", (client, user, id) =>
  client.webhooks.delete(user, id),
);

export const webhookRotateCommand: CommandMaker = (webhooks, settings) => {
  webhooks
    .command("rotate-secret <user> <name>")
    .description("Replace a webhook's secret, and show the new one once")
    .option("--grace <time>", "how long the old secret stays valid", duration)
    .addHelpText("after", example("orchctl webhooks rotate-secret alice orders --grace 1h"))
    .action(async (user: string, name: string, { grace: graceS }: { readonly grace?: number }, command) => {
      const session = sessionOf(command, settings);
      const rotated = await session.client.platform(
        async (orchestrator) => {
          const { id } = await findWebhook(orchestrator, user, name);
          return orchestrator.webhooks.rotateSecret(user, id, { graceS });
        },
        { user },
      );
      showSecret(session, rotated);
    });
};
