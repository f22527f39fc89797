import { InvalidArgumentError } from "commander";
import { type EventRecord, ORCHESTRATOR_EVENTS } from "../../src/contract/orchestrator-events.ts";
import { describeEvent, isAlarming } from "../describe-event.ts";
import { type Feed, type Followed, followEvents, readHistory } from "../event-feed.ts";
import { CliFailure } from "../exit-codes.ts";
import { enginePath } from "../http.ts";
import { gathered, wholeNumber } from "../option-values.ts";
import { type Printer, safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

interface Options {
  readonly tail: number;
  readonly follow: boolean;
  readonly type?: readonly string[];
  readonly all: boolean;
}

export const eventsCommand: CommandMaker = (program, settings) => {
  program
    .command("events [user]")
    .description("Print what happened to the product's engines, or to a user's, the newest last")
    .option("-n, --tail <count>", "how many of the last events", wholeNumber, 50)
    .option("-f, --follow", "go on with each new event, past a restart of the daemon", false)
    .option("--type <type>", "only events of this type; may be given several times", eventType)
    .option("--all", "of every product and of the host, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl events alice -n 20 -f"))
    .addHelpText("after", () => `\nTypes:\n${typesInWords()}`)
    .action(async (user: string | undefined, { tail, follow, type, all }: Options, command) => {
      const session = sessionOf(command, settings);
      const feed = all ? await feedOfAll(session, user) : feedOfProduct(session, user);
      const wanted = (event: EventRecord) => type?.includes(event.type) ?? true;
      const show = shower(session.print, { ofAll: all });
      const { events, newestId } = await readHistory(feed, { count: tail, wanted });
      for (const event of events) show(event);
      if (!follow) return;
      for await (const followed of followEvents(feed, { after: newestId })) {
        if (followed.kind !== "event") session.print.note(`orchctl: ${inWords(followed)}`);
        else if (wanted(followed.event)) show(followed.event);
      }
    });
};

const feedOfProduct = ({ client }: Session, user: string | undefined): Feed => ({
  client,
  as: "platform",
  path: user === undefined ? "/events" : `${enginePath(user)}/events`,
  query: {},
});

async function feedOfAll({ client }: Session, user: string | undefined): Promise<Feed> {
  if (user !== undefined) throw new CliFailure("usage", "--all is for every user: name one without it");
  const productId = await client.wantedProductId();
  return { client, as: "admin", path: "/admin/events", query: productId === null ? {} : { product_id: productId } };
}

const shower =
  (print: Printer, { ofAll }: { readonly ofAll: boolean }) =>
  (event: EventRecord): void => {
    if (print.json) return print.record(event);
    print.line(describeEvent(event, { ofAll }), isAlarming(event) ? "red" : undefined);
  };

function inWords(told: Exclude<Followed, { kind: "event" }>): string {
  switch (told.kind) {
    case "gap":
      return "some events before the next one are no longer kept";
    case "away":
      return `the stream of events is away (${safe(told.reason)}); trying again …`;
    case "connected-again":
      return "connected again";
    default:
      return told satisfies never;
  }
}

function eventType(text: string, before?: readonly string[]): readonly string[] {
  if (Object.hasOwn(ORCHESTRATOR_EVENTS, text)) return gathered(text, before);
  throw new InvalidArgumentError(`Expected one of ${Object.keys(ORCHESTRATOR_EVENTS).join(", ")}.`);
}

const typesInWords = (): string =>
  Object.entries(ORCHESTRATOR_EVENTS)
    .map(([type, meaning]) => `  ${type.padEnd(24)}${meaning}`)
    .join("\n");
