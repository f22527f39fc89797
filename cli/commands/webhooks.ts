import { Option } from "commander";
import type { WebhookRecord, WebhookWithSecret } from "../../src/client/records.ts";
import { EFFORTS, type Effort } from "../../src/contract/engine/model-choice.ts";
import { duration, wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { lastRun, resource } from "../resource.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { fields } from "../table.ts";

interface CreateOptions {
  readonly task?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: Effort;
  readonly limit?: number;
}

export const webhookCreateCommand: CommandMaker = (group, settings) => {
  group
    .command("create <user> <name> <template...>")
    .description("Create a webhook that sends what it receives to a user's engine, and show its secret once")
    .option("--task <id>", "the conversation of every message (default: one for each)")
    .option("--agent <name>", "the agent that answers")
    .option("--model <name>", "the model that answers (default: the agent's)")
    .addOption(new Option("--effort <effort>", "how much the model reasons (default: the agent's)").choices(EFFORTS))
    .option("--limit <n>", "messages per minute (default: 60)", wholeNumber)
    .addHelpText("after", example('orchctl webhooks create alice orders "A new order came: {{payload}}"'))
    .action(
      async (
        user: string,
        name: string,
        words: string[],
        { task, agent, model, effort, limit }: CreateOptions,
        command,
      ) => {
        const session = sessionOf(command, settings);
        const request = {
          name,
          template: words.join(" "),
          ...(task !== undefined && { task_id: task }),
          ...(agent !== undefined && { agent }),
          ...(model !== undefined && { model }),
          ...(effort !== undefined && { effort }),
          ...(limit !== undefined && { requests_per_minute: limit }),
        };
        const made = await session.client.platform((orchestrator) => orchestrator.webhooks.create(user, request), {
          user,
        });
        showSecret(session, made);
      },
    );
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

const webhooks = resource<WebhookRecord>({
  kind: "webhook",
  example: "orders",
  calls: (client) => client.webhooks,
  columns: {
    NAME: ({ name }) => name,
    STATE: ({ enabled }) => (enabled ? "on" : "paused"),
    PATH: ({ path }) => path,
    LAST: lastRun,
    ID: ({ id }) => id,
  },
  fields: (webhook, daemonUrl) => [
    ["name", webhook.name],
    ["id", webhook.id],
    ["address", daemonUrl + webhook.path],
    ["state", webhook.enabled ? "on" : "paused"],
    ["template", webhook.template],
    ["conversation", webhook.task_id ?? "one for each message"],
    ["agent", webhook.agent],
    ["model", webhook.model],
    ["effort", webhook.effort],
    ["messages per minute", String(webhook.requests_per_minute)],
  ],
  descriptions: {
    list: "List a user's webhooks with their last runs",
    show: "Show a webhook with its last runs, without its secret",
    pause: "Refuse a webhook's messages",
    resume: "Accept a webhook's messages again",
    delete: "Delete a webhook and its runs",
  },
  switched: (_webhook, name, verb) => `${verb}d ${safe(name)}`,
});

export const {
  list: webhookListCommand,
  show: webhookShowCommand,
  pause: webhookPauseCommand,
  resume: webhookResumeCommand,
  remove: webhookDeleteCommand,
} = webhooks;

export const webhookRotateCommand: CommandMaker = (group, settings) => {
  group
    .command("rotate-secret <user> <name>")
    .description("Replace a webhook's secret, and show the new one once")
    .option("--grace <time>", "how long the old secret stays valid", duration)
    .addHelpText("after", example("orchctl webhooks rotate-secret alice orders --grace 1h"))
    .action(async (user: string, name: string, { grace: graceS }: { readonly grace?: number }, command) => {
      const session = sessionOf(command, settings);
      const rotated = await session.client.platform(
        async (orchestrator) => {
          const { id } = await webhooks.find(orchestrator, user, name);
          return orchestrator.webhooks.rotateSecret(user, id, { graceS });
        },
        { user },
      );
      showSecret(session, rotated);
    });
};
