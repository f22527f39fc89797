import { attempt } from "./attempt.js";
import { button, edit, element, isEdited } from "./elements.js";

/** The messages that were sent while the agent works, until a turn takes them. */
export function createWaiting({ engine, place, clientTools }) {
  let taskId = null;
  /** Texts by the ids of the messages, also of those that a turn has taken since. */
  const texts = new Map();

  async function refresh() {
    const opened = taskId;
    const messages = await attempt(() => engine.inbox(opened));
    if (messages === undefined || taskId !== opened || isEdited(place)) return;
    for (const { message_id: id, text } of messages) texts.set(id, text);
    place.replaceChildren(...messages.map(row));
  }

  const row = ({ message_id: messageId, when_busy: whenBusy, text }) => {
    const change = (call) => attempt(call).then(refresh);
    const item = element("li", {}, element("span", { className: "text", textContent: text }));
    item.append(
      element("span", { className: "state", textContent: whenBusy }),
      button("Edit", () =>
        edit(item, text, {
          label: "Waiting message",
          save: (message) => attempt(() => engine.editMessage({ taskId, messageId, message })),
          close: refresh,
        }),
      ),
      button("Remove", () => change(() => engine.removeMessage(taskId, messageId))),
    );
    return item;
  };

  return {
    refresh,
    open(id) {
      taskId = id;
      texts.clear();
      place.replaceChildren();
      return refresh();
    },
    /** `steer`: the running turn takes the message between two steps. `queue`: it gets a turn of its own. */
    async send(message, whenBusy) {
      // The event that a turn has taken it may come before the response.
      const messageId = crypto.randomUUID();
      texts.set(messageId, message);
      const options = { whenBusy, thinking: true, clientTools };
      const sent = await attempt(() => engine.send({ taskId, message, messageId, ...options }));
      await refresh();
      return sent !== undefined;
    },
    textOf: (messageId) => texts.get(messageId),
  };
}
