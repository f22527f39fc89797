import { createAnswer } from "./answer.js";
import { attempt } from "./attempt.js";
import { edit, isEdited } from "./elements.js";
import { drawMessage, drawMessages, readMessages, textOf } from "./messages.js";

/**
 * The conversation at the right. Its messages are the engine's records. While a turn runs, its events show the answer
 * as it is written; the records take its place when the turn ends.
 */
export function createConversation({ engine, place, waiting, clientTools, onBusy }) {
  let taskId = null;
  /** What ends the reading of the running turn, when another conversation is opened. The turn continues. */
  let reading = null;

  const show = (article) => {
    place.append(article);
    article.scrollIntoView({ block: "end" });
  };

  /** Shows the stored messages, and reads the turn that runs. */
  async function sync({ resume = true } = {}) {
    const opened = taskId;
    const messages = await attempt(() => readMessages(engine, opened));
    // Meanwhile a turn was started, or another conversation opened.
    if (messages === undefined || reading !== null || taskId !== opened || isEdited(place)) return;
    const last = messages.at(-1);
    const turnId = last?.status === "running" || last?.status === "waiting_for_human" ? last.turn_id : null;
    // What the running turn has said so far is in its events.
    draw(messages.filter(({ role, turn_id }) => role === "user" || turn_id !== turnId));
    if (turnId !== null && resume) await read((options) => engine.resume({ turnId, ...options }));
  }

  const draw = (messages) => {
    place.replaceChildren(...drawMessages(messages, { onEdit: editMessage, onAnswerAgain: answerAgain }));
    place.lastElementChild?.scrollIntoView({ block: "end" });
  };

  /** The message and what came after it leave the conversation, and the new text is sent. */
  const editMessage = (article, message) => {
    const { message_id: toMessage } = message;
    let sent = null;
    edit(article, textOf(message), {
      label: "Your message",
      save: (text) => (sent = text),
      close: () =>
        sent === null ? sync() : send(sent, { change: () => engine.rewindTask({ taskId, toMessage, keep: false }) }),
    });
  };

  /** The answer leaves the conversation, and the user's message is answered again. */
  const answerAgain = ({ message_id: toMessage }) =>
    read((options) => engine.execute({ regenerate: true, thinking: true, ...options }), {
      change: () => engine.rewindTask({ taskId, toMessage }),
    });

  const send = (message, { change } = {}) =>
    read((options) => engine.execute({ message, thinking: true, whenBusy: "queue", ...options }), { message, change });

  /** Changes the conversation, if asked to, and then runs or continues a turn. Returns whether that succeeded. */
  async function read(turnOf, { message, change } = {}) {
    const opened = taskId;
    const mine = (reading = new AbortController());
    onBusy(true);
    const { article, add } = createAnswer({ answer: (id, text) => attempt(() => engine.respond(id, text)) });
    const isRead = await attempt(async () => {
      if (change !== undefined) {
        await change();
        const messages = await readMessages(engine, opened);
        mine.signal.throwIfAborted();
        draw(messages);
      }
      if (message !== undefined) show(drawMessage({ role: "user", parts: [{ type: "text", text: message }] }));
      show(article);
      for await (const event of turnOf({ taskId: opened, signal: mine.signal, events: "message", clientTools })) {
        add(event);
        if (event.event.startsWith("message_")) await showTaken(event, article);
      }
      return true;
    });
    if (reading !== mine) return true;
    reading = null;
    onBusy(false);
    await waiting.refresh();
    // A turn that cannot be read is not tried again at once.
    await sync({ resume: isRead === true });
    return isRead === true;
  }

  /** A message that entered the running turn stands where it did. */
  const showTaken = async ({ event, data }, article) => {
    const text = waiting.textOf(data.message_id);
    if (event === "message_taken" && data.how === "steer" && text !== undefined)
      article.append(drawMessage({ role: "user", parts: [{ type: "text", text }] }));
    await waiting.refresh();
  };

  return {
    sync,
    /** Runs a turn, or lets the message wait for the one that runs. Returns whether that succeeded. */
    send: (message, whenBusy) => (reading === null ? send(message) : waiting.send(message, whenBusy)),
    open(id) {
      reading?.abort();
      reading = null;
      onBusy(false);
      taskId = id;
      place.replaceChildren();
      return Promise.all([waiting.open(id), sync()]);
    },
    stop: () => engine.cancel(taskId),
  };
}
