import { type Destructive, confirm, destructive } from "../confirm.ts";
import type { OrchestratorClient } from "../../src/client/orchestrator-client.ts";
import type { NotificationEndpoint, NotificationEndpointWithSecret } from "../../src/client/records.ts";
import { CliFailure } from "../exit-codes.ts";
import { duration, names, wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";
import { ago } from "../times.ts";

const SHOWN = 20;

const createCommand: CommandMaker = (group, settings) => {
  group
    .command("create <url>")
    .description("Tell an address of the product of events, and show its secret once")
    .requiredOption("--events <events>", "the events, separated by commas", names)
    .addHelpText("after", example("orchctl notifications create https://api.example.com/orchd --events engine.gave_up"))
    .action(async (url: string, { events }: { events: string[] }, command) => {
      const session = sessionOf(command, settings);
      // The daemon checks their names.
      const request = { url, events } as Parameters<OrchestratorClient["notifications"]["create"]>[0];
      showSecret(session, await session.client.platform((client) => client.notifications.create(request)));
    });
};

const listCommand: CommandMaker = (group, settings) => {
  group
    .command("list")
    .alias("ls")
    .description("List the product's endpoints")
    .addHelpText("after", example("orchctl notifications list"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const endpoints = await client.platform((orchestrator) => orchestrator.notifications.list());
      const rows = endpoints.map(({ id, url, pending, dead, ...of }) => [
        id,
        stateOf(of),
        url,
        String(pending),
        String(dead),
        ago(of.last_delivered_at, Date.now()),
      ]);
      const head = ["ID", "STATE", "URL", "PENDING", "DEAD", "LAST"];
      print.document({ endpoints }, (columns) => table(head, rows, columns));
    });
};

const showCommand: CommandMaker = (group, settings) => {
  group
    .command("show <endpoint>")
    .description("Show an endpoint, without its secret")
    .addHelpText("after", example("orchctl notifications show https://api.example.com/orchd"))
    .action(async (name: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const endpoint = await client.platform((orchestrator) => find(orchestrator, name));
      print.document(endpoint, (columns) => fields(fieldsOf(endpoint), columns));
    });
};

const deliveriesCommand: CommandMaker = (group, settings) => {
  group
    .command("deliveries <endpoint>")
    .description("List an endpoint's deliveries, the newest first")
    .option("-n, --limit <count>", `how many (default: ${SHOWN})`, wholeNumber, SHOWN)
    .option("--state <state>", "only pending, delivered or dead ones")
    .addHelpText("after", example("orchctl notifications deliveries nep_… --state dead"))
    .action(async (name: string, { limit, state }: { limit: number; state?: "dead" }, command) => {
      const { client, print } = sessionOf(command, settings);
      const data = await client.platform(async (orchestrator) => {
        const { id } = await find(orchestrator, name);
        const deliveries = orchestrator.notifications.deliveries(id, { pageSize: Math.min(limit, 200), state });
        return Array.fromAsync(first(deliveries, limit));
      });
      const now = Date.now();
      const rows = data.map(({ id, type, state: is, attempts, last_error: error, created_at: at }) => [
        id,
        type,
        is,
        String(attempts),
        error,
        ago(at, now),
      ]);
      const head = ["ID", "EVENT", "STATE", "TRIES", "LAST ERROR", "AGE"];
      print.document({ data, next_cursor: null }, (columns) => table(head, rows, columns));
    });
};

const replayCommand: CommandMaker = (group, settings) => {
  group
    .command("replay <endpoint> [delivery]")
    .description("Try an endpoint's dead deliveries again, or one delivery")
    .addHelpText("after", example("orchctl notifications replay nep_…"))
    .action(async (name: string, deliveryId: string | undefined, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const result = await client.platform(async (orchestrator) =>
        orchestrator.notifications.replay((await find(orchestrator, name)).id, { deliveryId }),
      );
      print.document(result, () => `${result.replayed} are tried again`);
    });
};

const rotateCommand: CommandMaker = (group, settings) => {
  group
    .command("rotate-secret <endpoint>")
    .description("Replace an endpoint's secret, and show the new one once")
    .option("--grace <time>", "how long messages are signed with both secrets", duration)
    .addHelpText("after", example("orchctl notifications rotate-secret nep_… --grace 1h"))
    .action(async (name: string, { grace: graceS }: { grace?: number }, command) => {
      const session = sessionOf(command, settings);
      const rotated = await session.client.platform(async (orchestrator) =>
        orchestrator.notifications.rotateSecret((await find(orchestrator, name)).id, { graceS }),
      );
      showSecret(session, rotated);
    });
};

/** A command on one endpoint, without an option. */
const one =
  (
    verb: string,
    description: string,
    run: (client: OrchestratorClient, id: string) => Promise<object>,
    done: (name: string) => string,
  ): CommandMaker =>
  (group, settings) => {
    group
      .command(`${verb} <endpoint>`)
      .description(description)
      .addHelpText("after", example(`orchctl notifications ${verb} nep_…`))
      .action(async (name: string, _options, command) => {
        const { client, print } = sessionOf(command, settings);
        const result = await client.platform(async (orchestrator) =>
          run(orchestrator, (await find(orchestrator, name)).id),
        );
        print.document(result, () => done(safe(name)));
      });
  };

const deleteCommand: CommandMaker = (group, settings) => {
  destructive(group.command("delete <endpoint>"))
    .alias("rm")
    .description("Delete an endpoint and its deliveries")
    .addHelpText("after", example("orchctl notifications delete nep_…"))
    .action(async (name: string, { yes }: Destructive, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      await confirm(`Delete the endpoint ${safe(name)} and its deliveries?`, { yes, context: { url: found.url } });
      const deleted = await client.platform(async (orchestrator) =>
        orchestrator.notifications.delete((await find(orchestrator, name)).id),
      );
      print.document(deleted, () => `deleted ${safe(name)}`);
    });
};

export const NOTIFICATION_COMMANDS: readonly CommandMaker[] = [
  createCommand,
  listCommand,
  showCommand,
  one(
    "pause",
    "Let an endpoint's messages wait",
    (client, id) => client.notifications.change(id, { enabled: false }),
    (name) => `paused ${name}`,
  ),
  one(
    "resume",
    "Send an endpoint's messages again, also those that waited",
    (client, id) => client.notifications.change(id, { enabled: true }),
    (name) => `resumed ${name}`,
  ),
  one(
    "test",
    "Send an endpoint a message that says nothing but that it is a test",
    (client, id) => client.notifications.test(id),
    (name) => `sent a test to ${name}; orchctl notifications deliveries ${name} shows its end`,
  ),
  deliveriesCommand,
  replayCommand,
  rotateCommand,
  deleteCommand,
];

/** People may type the address, programs the id. */
async function find(client: OrchestratorClient, name: string): Promise<NotificationEndpoint> {
  const found = (await client.notifications.list()).find(({ id, url }) => id === name || url === name);
  if (found !== undefined) return found;
  const message = `the product has no endpoint ${safe(name)}`;
  throw new CliFailure("notFound", message, "ENDPOINT_NOT_FOUND", "orchctl notifications list");
}

function showSecret({ print }: Session, endpoint: NotificationEndpointWithSecret): void {
  print.document(endpoint, (columns) => fields([...fieldsOf(endpoint), ["secret", endpoint.secret]], columns));
}

const stateOf = ({
  enabled,
  paused_reason: reason,
  failing_since: since,
}: Pick<NotificationEndpoint, "enabled" | "paused_reason" | "failing_since">): string => {
  if (!enabled) return reason === null ? "paused" : `paused: ${reason}`;
  return since === null ? "on" : "failing";
};

const fieldsOf = (endpoint: NotificationEndpoint): [string, string | null][] => [
  ["id", endpoint.id],
  ["url", endpoint.url],
  ["events", endpoint.events.join(", ")],
  ["state", stateOf(endpoint)],
  ["pending", String(endpoint.pending)],
  ["dead", String(endpoint.dead)],
  ["last delivered", endpoint.last_delivered_at],
  ["failing since", endpoint.failing_since],
];

async function* first<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
