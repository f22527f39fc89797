import { randomUUID } from "node:crypto";
import type { EngineClient } from "../src/client/engine-client.ts";
import { CLIENT_ERRORS, OrchdError } from "../src/client/orchd-error.ts";
import type { TurnEvent } from "../src/client/turn-event.ts";
import { type Printer, safe } from "./output.ts";
import type { SendHow } from "./typed-messages.ts";

/** What a message asks for, besides its text, as `POST /execute` takes it. */
export type TurnOptions = Pick<Parameters<EngineClient["execute"]>[0], "thinking" | "agent" | "model" | "effort">;

/** A message that was written while a turn ran, as `POST /execute` takes it. */
interface SentMessage extends TurnOptions {
  readonly taskId: string;
  readonly message: string;
  readonly messageId: string;
  readonly whenBusy: SendHow;
}

interface ChatInboxParts {
  readonly engine: EngineClient;
  readonly print: Pick<Printer, "note">;
  /** What each message carries besides its text. */
  readonly common: TurnOptions & Pick<SentMessage, "taskId">;
}

const EDIT = /^\/edit\s+(\d+)\s+(.+)$/;
const REMOVE = /^\/remove\s+(\d+)$/;

/** The messages of a conversation that were written while its turns ran. */
export class ChatInbox {
  readonly #parts: ChatInboxParts;
  #sent: readonly SentMessage[] = [];

  constructor(parts: ChatInboxParts) {
    this.#parts = parts;
  }

  /** Sends what was written, or runs a command on what waits. Failures are notes. */
  async typed(text: string, how: SendHow): Promise<void> {
    const { engine, print, common } = this.#parts;
    const { taskId } = common;
    try {
      const [, edited, message] = EDIT.exec(text) ?? [];
      const [, removed] = REMOVE.exec(text) ?? [];
      if (text === "/inbox") return await this.#list();
      if (edited !== undefined && message !== undefined) {
        await engine.editMessage({ taskId, messageId: await this.#idAt(Number(edited)), message });
        return print.note(`message ${edited} is changed`);
      }
      if (removed !== undefined) {
        const messageId = await this.#idAt(Number(removed));
        await engine.removeMessage(taskId, messageId);
        this.#sent = this.#sent.filter((one) => one.messageId !== messageId);
        return print.note(`message ${removed} is removed`);
      }
      await this.#send({ ...common, message: text, messageId: randomUUID(), whenBusy: how });
    } catch (error) {
      if (!(error instanceof OrchdError)) throw error;
      print.note(`orchctl: ${safe(error.message)}${error.code in CLIENT_ERRORS ? "" : ` (${safe(error.code)})`}`);
    }
  }

  /** A steered message that the running turn has taken is shown with that turn. */
  seen(event: TurnEvent): void {
    if (event.event !== "message_taken" || event.data.how !== "steer") return;
    const { message_id: id } = event.data;
    if (this.#sent.some(({ messageId }) => messageId === id)) this.#parts.print.note("» the agent has your message");
    this.#sent = this.#sent.filter(({ messageId }) => messageId !== id);
  }

  /** The next message whose turn is to be shown. */
  next(): SentMessage | undefined {
    const [next, ...rest] = this.#sent;
    this.#sent = rest;
    return next;
  }

  async #send(message: SentMessage): Promise<void> {
    const { engine, print } = this.#parts;
    // Before the call: the turn may take it before the response has come.
    this.#sent = [...this.#sent, message];
    try {
      const { position } = await engine.send(message);
      if (message.whenBusy === "queue" && position > 0)
        print.note(`» it waits as message ${position}; /inbox lists them`);
    } catch (error) {
      this.#sent = this.#sent.filter((one) => one !== message);
      throw error;
    }
  }

  async #list(): Promise<void> {
    const { engine, print, common } = this.#parts;
    const waiting = await engine.inbox(common.taskId);
    if (waiting.length === 0) return print.note("no message waits");
    print.note(waiting.map(({ position, text }) => `${position}. ${safe(text)}`).join("\n"));
    print.note("/edit NUMBER TEXT changes one, /remove NUMBER removes it");
  }

  async #idAt(position: number): Promise<string> {
    const { engine, common } = this.#parts;
    const found = (await engine.inbox(common.taskId)).find((one) => one.position === position);
    if (found !== undefined) return found.message_id;
    throw new OrchdError({ code: "NOT_FOUND", message: `no message waits at place ${position}; /inbox lists them` });
  }
}
