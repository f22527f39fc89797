import type { EngineClient, ExecuteOptions, MessageContent, Rewound, TaskMessage, WaitingMessage } from "@orchd/client";
import { EVENTS, followTurn } from "../../live/follow-turn.ts";
import { storedSteps } from "../../live/stored-steps.ts";
import { TurnSteps } from "../../live/turn-steps.ts";
import { asProblem } from "../../parts/problem.ts";
import type { TurnOptions } from "./choice.ts";
import { type Exchange, byTurn, isUnnamed, saidIn, stepsOf, textOf } from "./exchange.ts";

interface Options {
  readonly calls: EngineClient;
  readonly taskId: string;
  readonly changed: () => void;
}

interface LaterOptions extends TurnOptions {
  readonly message: MessageContent;
  readonly whenBusy: "steer" | "queue";
  readonly interrupt?: true;
}

interface RewindOptions {
  readonly to: TaskMessage | undefined;
  readonly keep: boolean;
  readonly files?: "restore";
  readonly force?: boolean;
}

/** Messages of one page. */
const PAGE = 100;

/** One conversation with an engine. Its turns continue without the page, which reads them again when it comes back. */
export class Conversation {
  exchanges: readonly Exchange[] = [];
  /** Whether its messages were read. */
  isRead = false;
  /** Where older messages end; null when all are shown. */
  before: string | null = null;
  /** Messages that wait for a turn of their own, or for the running one. */
  waiting: readonly WaitingMessage[] = [];
  readonly #options: Options;
  readonly #abort = new AbortController();
  #messages: readonly TaskMessage[] = [];
  #reads = 0;
  #inboxReads = 0;
  /** Texts of messages that wait or waited, by their ids. */
  readonly #sent = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
  }

  get taskId(): string {
    return this.#options.taskId;
  }

  /** Reads the last messages and those that wait, and continues turns that run. */
  async refresh(): Promise<void> {
    const { calls, taskId, changed } = this.#options;
    const read = ++this.#reads;
    const page = await calls
      .taskMessages(taskId, { limit: PAGE, signal: this.#abort.signal })
      .catch((error: unknown) => {
        // A task begins with its first turn.
        if (asProblem(error).code === "NOT_FOUND") return { items: [], before: null };
        throw error;
      });
    await this.readInbox();
    // A turn that has just been sent has no id yet, so its messages would be shown twice.
    if (read !== this.#reads || this.exchanges.some(isUnnamed)) return;
    const [first] = page.items;
    const overlap = this.#messages.findIndex(({ message_id: id }) => id === first?.message_id);
    this.#messages = [...this.#messages.slice(0, Math.max(overlap, 0)), ...page.items];
    if (overlap <= 0) this.before = page.before;
    this.isRead = true;
    this.#show();
    changed();
    const open = this.exchanges.filter((exchange) => !stepsOf(exchange).isOver);
    await Promise.all(open.map((exchange) => this.#follow(exchange)));
  }

  async readInbox(): Promise<void> {
    const { calls, taskId, changed } = this.#options;
    const read = ++this.#inboxReads;
    const waiting = await calls.inbox(taskId, { signal: this.#abort.signal });
    if (read !== this.#inboxReads) return;
    for (const { message_id: id, text } of waiting) this.#sent.set(id, text);
    this.waiting = waiting;
    changed();
  }

  /** Sends a message while a turn runs: into this turn, or for one of its own. */
  async sendLater(text: string, options: LaterOptions): Promise<void> {
    const { calls, taskId } = this.#options;
    // Its text must be known before the turn says that it has taken it.
    const messageId = `console-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    this.#sent.set(messageId, text);
    const { position } = await calls.send({ ...options, taskId, messageId });
    await (position === 0 ? this.refresh() : this.readInbox());
  }

  async editWaiting(messageId: string, message: string): Promise<void> {
    const { calls, taskId } = this.#options;
    try {
      await calls.editMessage({ taskId, messageId, message });
    } finally {
      // A turn may have taken it.
      await this.readInbox();
    }
  }

  async removeWaiting(messageId: string): Promise<void> {
    const { calls, taskId } = this.#options;
    try {
      await calls.removeMessage(taskId, messageId);
    } finally {
      // A turn may have taken it.
      await this.readInbox();
    }
  }

  async readEarlier(): Promise<void> {
    const { calls, taskId, changed } = this.#options;
    if (this.before === null) return;
    const options = { before: this.before, limit: PAGE, signal: this.#abort.signal };
    const page = await calls.taskMessages(taskId, options);
    this.#messages = [...page.items, ...this.#messages];
    this.before = page.before;
    this.#show();
    changed();
  }

  /** Runs a turn. `text` is what the message is shown as. */
  async send(text: string, options: TurnOptions & Pick<ExecuteOptions, "message" | "regenerate">): Promise<void> {
    const { calls, taskId, changed } = this.#options;
    const exchange = this.#newExchange(text, null);
    exchange.isRead = true;
    this.exchanges = [...this.exchanges, exchange];
    changed();
    const turn = calls.execute({ ...options, taskId, events: EVENTS, signal: this.#abort.signal });
    try {
      for await (const event of turn) {
        exchange.turnId = turn.turnId;
        exchange.live.add(event);
        this.#added(exchange);
      }
    } catch (error) {
      this.#failed(exchange, error);
    }
    await this.#ended(exchange);
  }

  /** Sends a message again with another text, in the place of the first one. */
  async edit(exchange: Exchange, text: string, options: TurnOptions): Promise<void> {
    await this.#rewind(exchange, { to: saidIn(exchange)?.first, keep: false });
    await this.send(text, { ...options, message: text });
  }

  /** Has the last message answered again. */
  async regenerate(exchange: Exchange, options: TurnOptions): Promise<void> {
    await this.#rewind(exchange, { to: saidIn(exchange)?.last, keep: true });
    await this.send(exchange.message, { ...options, regenerate: true });
  }

  /** What a rewind to before an exchange would do with files. */
  async previewRewind(exchange: Exchange): Promise<Rewound | null> {
    const to = saidIn(exchange)?.first.message_id;
    if (to === undefined) return null;
    const { calls, taskId } = this.#options;
    return calls.rewindTask({ taskId, toMessage: to, keep: false, files: "restore", dryRun: true });
  }

  /** Takes the conversation back to before an exchange; with `restores` the files of the workspace too. */
  async rewind(exchange: Exchange, { restores, force }: { readonly restores: boolean; readonly force: boolean }) {
    const files = restores ? ({ files: "restore", force } as const) : {};
    const done = await this.#rewind(exchange, { to: saidIn(exchange)?.first, keep: false, ...files });
    await this.refresh();
    return done;
  }

  /** The id of a new conversation with everything up to the end of an exchange. */
  async fork({ stored }: Exchange): Promise<string> {
    const { calls, taskId } = this.#options;
    return (await calls.forkTask({ taskId, afterMessage: stored.at(-1)?.message_id })).task_id;
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  close(): void {
    this.#abort.abort();
  }

  #show(): void {
    const known = new Map(this.exchanges.map((exchange) => [exchange.turnId, exchange]));
    const stored = byTurn(this.#messages).map((messages) => {
      const turnId = messages[0]?.turn_id ?? null;
      const said = messages.find(({ role }) => role === "user");
      const exchange = known.get(turnId) ?? this.#newExchange(said === undefined ? "" : textOf(said), turnId);
      return Object.assign(exchange, { stored: messages, storedSteps: storedSteps(messages) });
    });
    this.exchanges = [...stored, ...this.exchanges.filter(({ turnId }) => turnId === null)];
  }

  async #rewind(exchange: Exchange, { to, ...given }: RewindOptions): Promise<Rewound | null> {
    const { calls, taskId } = this.#options;
    if (to === undefined) return null;
    const done = await calls.rewindTask({ taskId, toMessage: to.message_id, ...given });
    this.exchanges = this.exchanges.slice(0, this.exchanges.indexOf(exchange));
    return done;
  }

  /** Shows new events of a turn. */
  #added(exchange: Exchange): void {
    const { messages } = exchange.live;
    if (messages !== exchange.messages) {
      exchange.messages = messages;
      this.readInbox().catch((error: unknown) => this.#failed(exchange, error));
    }
    this.#options.changed();
  }

  #newExchange(message: string, turnId: string | null): Exchange {
    return {
      message,
      turnId,
      stored: [],
      storedSteps: new TurnSteps(),
      live: new TurnSteps(this.#sent),
      isRead: false,
      messages: 0,
      problem: null,
    };
  }

  async #follow(exchange: Exchange): Promise<void> {
    const { turnId, live, isRead } = exchange;
    if (turnId === null || isRead) return;
    exchange.isRead = true;
    exchange.problem = null;
    const changed = () => this.#added(exchange);
    try {
      await followTurn(this.#options.calls, { turnId, steps: live }, { signal: this.#abort.signal, changed });
    } catch (error) {
      this.#failed(exchange, error);
    }
    await this.#ended(exchange);
  }

  /** Messages have their ids when the turn has ended. */
  async #ended(exchange: Exchange): Promise<void> {
    exchange.isRead = false;
    if (this.#abort.signal.aborted || !exchange.live.isOver) return;
    this.#options.changed();
    await this.refresh().catch((error: unknown) => this.#failed(exchange, error));
  }

  #failed(exchange: Exchange, error: unknown): void {
    // A failed turn has its own error event.
    if (this.#abort.signal.aborted || exchange.live.isOver) return;
    exchange.problem = asProblem(error);
    this.#options.changed();
  }
}
