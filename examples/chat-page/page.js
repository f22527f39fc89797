import { createChat } from "./chat.js";

/** Shows a conversation in a page. What comes from the agent is only ever text, never markup. */
export function startPage({ document, user, fetch = globalThis.fetch.bind(globalThis) }) {
  const element = (id) => document.getElementById(id);
  const [conversation, form, message, send, cancel] = ["conversation", "form", "message", "send", "cancel"].map(
    element,
  );
  /** Elements of the turn, by block index: an answer that is given again replaces blocks. */
  let blocks = [];
  let current = null;
  /** Elements of open questions, by request id. */
  const questions = new Map();

  const add = (kind, text) => {
    const line = document.createElement("div");
    line.className = kind;
    line.textContent = text;
    conversation.append(line);
    return line;
  };
  const setBusy = (busy) => {
    message.disabled = busy;
    send.disabled = busy;
    cancel.disabled = !busy;
  };

  const onEvent = (event, data) => {
    switch (event) {
      case "content_block_start":
        // A restart of the engine cut an answer off: what its blocks showed is void.
        if (data.replaces_from !== undefined) {
          for (const block of blocks.splice(data.replaces_from)) block?.remove();
        }
        current = data.block_type === "tool_use" ? null : add(data.block_type, "");
        blocks[data.block_index] = current;
        break;
      case "text_delta":
      case "thinking_delta":
        if (current !== null) current.textContent += data.text;
        break;
      case "tool_call":
        add("tool", `${data.tool} ${JSON.stringify(data.input)}`);
        break;
      case "tool_result":
        if (data.error !== null) add("error", `${data.tool}: ${data.error}`);
        break;
      case "hitl_request":
        ask(data);
        break;
      case "hitl_resolved":
        questions.get(data.request_id)?.remove();
        break;
      case "error":
        add("error", `${data.error}: ${data.message}`);
        break;
    }
  };

  const ask = ({ request_id: id, question, options, context }) => {
    const box = add("question", question);
    questions.set(id, box);
    const answer = async (text) => {
      try {
        await chat.answer(id, text);
        box.remove();
        add("user", text);
      } catch (error) {
        // The question stays: another answer may be accepted.
        add("error", error.message);
      }
    };
    for (const option of options) {
      const button = document.createElement("button");
      button.textContent = option;
      button.addEventListener("click", () => answer(option));
      box.append(button);
    }
    if (!context.allow_free_text) return;
    const input = document.createElement("input");
    input.addEventListener("change", () => answer(input.value));
    box.append(input);
  };

  const chat = createChat({ user, onEvent, fetch });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = message.value.trim();
    if (text === "") return;
    message.value = "";
    add("user", text);
    blocks = [];
    setBusy(true);
    await chat.send(text).catch((error) => add("error", error.message));
    setBusy(false);
  });
  cancel.addEventListener("click", () => chat.cancel());
}

if (globalThis.document !== undefined) {
  const user = new URLSearchParams(globalThis.location.search).get("user") ?? "";
  startPage({ document: globalThis.document, user });
}
