import { drawPart } from "./answer.js";
import { button, element } from "./elements.js";

export const drawMessage = ({ role, parts }) =>
  element("article", { className: role }, ...parts.map((part) => drawPart(part)));

/** Of a message of the user. */
export const textOf = ({ parts }) => parts.find(({ type }) => type === "text")?.text ?? "";

/** The stored messages. Those of the user can be edited, and answered again. */
export function drawMessages(messages, { onEdit, onAnswerAgain }) {
  let asked = null;
  return messages.map((message) => {
    const article = drawMessage(message);
    const actions = element("div", { className: "actions" });
    const isAnswer = message.role === "assistant";
    if (!isAnswer) {
      asked = message;
      actions.append(button("Edit", () => onEdit(article, message)));
    }
    const answered = asked;
    // The last message has no answer when its turn failed.
    if (answered !== null && (isAnswer || message === messages.at(-1)))
      actions.append(button("Answer again", () => onAnswerAgain(answered)));
    article.append(actions);
    return article;
  });
}

/** The last messages of a conversation. */
export async function readMessages(engine, taskId) {
  try {
    return (await engine.taskMessages(taskId, { limit: 200 })).items;
  } catch (error) {
    // A new conversation has no record until its first message.
    if (error.status === 404) return [];
    throw error;
  }
}
