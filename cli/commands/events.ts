import type { EventRecord } from "../../src/client/records.ts";
import { InvalidArgumentError } from "commander";
import type { FollowOptions, OrchestratorEvent } from "../../src/client/orchestrator-stream.ts";
import { type EventType, ORCHESTRATOR_EVENTS } from "../../src/contract/orchestrator/event-types.ts";
import { CliFailure } from "../exit-codes.ts";
import { describeData } from "../event-words.ts";
import { collected, duration, wholeNumber } from "../option-values.ts";
import { type Printer, safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";

const TAIL = 50;

interface Options {
  readonly tail?: number;
  readonly since?: number;
  readonly follow: boolean;
  readonly type?: readonly string[];
  readonly all: boolean;
}

export const eventsCommand: CommandMaker = (program, settings) => {
  program
    .command("events [user]")
    .description("Print events of the product's engines, or of one user's, the newest last")
    .option("-n, --tail <count>", `how many of the last events (default: ${TAIL}, with --since all)`, wholeNumber)
    .option("--since <time>", "only events of this last time, such as 10m", duration)
    .option("-f, --follow", "continue with each new event, also after a restart of the daemon", false)
    .option("--type <type>", "only events of this type; may be given several times", eventType)
    .option("--all", "events of every product and of the host, with the admin key; --product limits it to one", false)
    .addHelpText("after", example("orchctl events alice -n 20 -f"))
    .addHelpText("after", () => `\nTypes:\n${typeTable()}`)
    .action(async (user: string | undefined, { tail, since, follow, type, all }: Options, command) => {
      const session = sessionOf(command, settings);
      await withFeed(session, { user, all }, async (feed) => {
        const isWanted = (event: EventRecord) => type?.includes(event.type) ?? true;
        const show = (event: EventRecord) => showEvent(session.print, event, { withProduct: all });
        const after = since === undefined ? 0 : Date.now() - since * 1000;
        const count = tail ?? (since === undefined ? TAIL : Infinity);
        const { events, newestId } = await readHistory(feed, { count, after, isWanted });
        for (const event of events) show(event);
        if (!follow) return;
        for await (const event of feed.follow({ after: newestId ?? "start", ...connectionNotes(session.print) })) {
          if (!("id" in event)) session.print.note("orchctl: some events before the next one are no longer stored");
          else if (isWanted(event)) show(event);
        }
      });
    });
};

/** The events of one product, of one user, or of the host. */
interface Feed {
  /** The newest first. */
  readonly list: () => AsyncIterable<EventRecord>;
  readonly follow: (options: FollowOptions) => AsyncIterable<OrchestratorEvent>;
}

async function withFeed(
  { client }: Session,
  { user, all }: { readonly user: string | undefined; readonly all: boolean },
  read: (feed: Feed) => Promise<void>,
): Promise<void> {
  if (!all) {
    return client.platform(
      (orchestrator) =>
        read({
          list: () => orchestrator.listEvents({ userId: user }),
          follow: (options) => orchestrator.events({ userId: user, ...options }),
        }),
      { user, doing: null },
    );
  }
  if (user !== undefined) throw new CliFailure("usage", "--all shows the events of every user: leave the user out");
  const productId = await client.wantedProductId();
  return client.admin(
    (admin) =>
      read({
        list: () => admin.listEvents({ productId }),
        follow: (options) => admin.events({ productId, ...options }),
      }),
    { doing: null },
  );
}

interface History {
  /** The oldest first. */
  readonly events: readonly EventRecord[];
  /** The newest event, matching or not; null if there is none. */
  readonly newestId: string | null;
}

/** The last `count` matching events after a time in milliseconds, as far as they are stored. */
async function readHistory(
  feed: Feed,
  {
    count,
    after,
    isWanted,
  }: { readonly count: number; readonly after: number; readonly isWanted: (event: EventRecord) => boolean },
): Promise<History> {
  const events: EventRecord[] = [];
  let newestId: string | null = null;
  for await (const event of feed.list()) {
    newestId ??= event.id;
    if (Date.parse(event.time) < after) break;
    if (events.length < count && isWanted(event)) events.push(event);
    if (events.length >= count) break;
  }
  return { events: events.toReversed(), newestId };
}

/** Notes when the stream is lost, and when it is open again. */
function connectionNotes(print: Printer): Pick<FollowOptions, "onRetry" | "onReconnect"> {
  let isLost = false;
  return {
    onRetry: ({ error }) => {
      if (!isLost) print.note(`orchctl: the event stream is lost (${safe(error.message)}); reconnecting …`);
      isLost = true;
    },
    onReconnect: () => {
      print.note("orchctl: reconnected");
      isLost = false;
    },
  };
}

const TYPE_WIDTH = Math.max(...Object.keys(ORCHESTRATOR_EVENTS).map((type) => type.length));
const ALARMING: readonly EventType[] = ["engine.crashed", "engine.gave_up", "engine.leaked", "host.breaker_opened"];

function showEvent(print: Printer, event: EventRecord, options: { readonly withProduct: boolean }): void {
  if (print.json) return print.record(event);
  print.line(describeEvent(event, options), ALARMING.includes(event.type) ? "red" : undefined);
}

/** An event as one log line: time, type, product or user, from → to, reason, data. */
function describeEvent(event: EventRecord, { withProduct }: { readonly withProduct: boolean }): string {
  const { time, type, product_id, user_id, from, to, reason, data } = event;
  const ids = [...(withProduct ? [product_id] : []), user_id].map((id) => (id === null ? "-" : safe(id)));
  const change =
    from === null && to === null
      ? []
      : [`${from === null ? "" : `${safe(from)} `}→ ${to === null ? "gone" : safe(to)}`];
  const rest = [...change, ...(reason === null ? [] : [safe(reason)]), ...describeData(data ?? {}, reason)];
  return [safe(time), safe(type).padEnd(TYPE_WIDTH), ...ids, rest.join("  ")].join("  ").trimEnd();
}

function eventType(text: string, before?: readonly string[]): readonly string[] {
  if (Object.hasOwn(ORCHESTRATOR_EVENTS, text)) return collected(text, before);
  throw new InvalidArgumentError(`Expected one of ${Object.keys(ORCHESTRATOR_EVENTS).join(", ")}.`);
}

const typeTable = (): string =>
  Object.entries(ORCHESTRATOR_EVENTS)
    .map(([type, meaning]) => `  ${type.padEnd(TYPE_WIDTH + 2)}${meaning}`)
    .join("\n");
