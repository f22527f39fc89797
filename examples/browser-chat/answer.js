import { button, element } from "./elements.js";

/** A part of a message, as `GET /tasks/{task_id}/messages` has it. `answer` sends the answer to a question. */
export function drawPart(part, { answer } = {}) {
  const line = (text) => element("div", { className: part.type, textContent: text });
  switch (part.type) {
    case "tool":
      return line(`${part.tool} ${JSON.stringify(part.input)}${outcome(part)}`);
    case "question":
      return drawQuestion(part, line(part.question), answer);
    case "attachment":
      return line(part.name);
    case "error":
      return line(part.error);
    case "context":
      // The user did not write it.
      return element("div", { hidden: true });
    default:
      return line(part.text);
  }
}

function outcome({ output, error }) {
  const value = error ?? output ?? "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "" ? "" : `: ${text.length > 500 ? `${text.slice(0, 500)}…` : text}`;
}

function drawQuestion({ request_id: id, status, answer: given, options, context }, box, answer) {
  if (given !== null) box.append(element("div", { className: "text", textContent: given }));
  if (status !== "open" || answer === undefined) return box;
  box.append(...options.map((option) => button(option, () => answer(id, option))));
  if (context?.allow_free_text) {
    const input = element("input", { ariaLabel: "Your answer", onchange: () => answer(id, input.value) });
    box.append(input);
  }
  return box;
}

/** An answer that is being written: the events of its turn become the parts of a message. */
export function createAnswer({ answer }) {
  const article = element("article", { className: "assistant" });
  /** Parts by the index of their block, or by the id of their call or question. */
  const shown = new Map();
  let block = null;

  const put = (key, part) => {
    const drawn = drawPart(part, { answer });
    if (shown.has(key)) shown.get(key).drawn.replaceWith(drawn);
    else article.append(drawn);
    shown.set(key, { part, drawn });
  };
  const change = (key, changes) => shown.has(key) && put(key, { ...shown.get(key).part, ...changes });
  const discardFrom = (first) => {
    for (const [key, { drawn }] of shown)
      if (typeof key === "number" && key >= first) {
        drawn.remove();
        shown.delete(key);
      }
  };

  const add = ({ event, data }) => {
    switch (event) {
      case "content_block_start":
        // A restart of the engine cut an answer off: what its blocks showed is void.
        if (data.replaces_from !== undefined) discardFrom(data.replaces_from);
        block = data.block_index;
        if (data.block_type !== "tool_use")
          put(block, { type: data.block_type === "thinking" ? "reasoning" : "text", text: "" });
        break;
      case "text_delta":
      case "thinking_delta":
        shown.get(block)?.drawn.append(data.text);
        break;
      case "tool_call":
        put(data.tool_call_id, { type: "tool", tool: data.tool, input: data.input, output: null, error: null });
        break;
      case "tool_result":
        change(data.tool_call_id, { output: data.output, error: data.error });
        break;
      case "hitl_request":
        put(data.request_id, { ...data, type: "question", status: "open", answer: null });
        break;
      case "hitl_resolved":
        change(data.request_id, { status: "answered", answer: data.answer ?? null });
        break;
      case "error":
        put("error", { type: "error", error: `${data.error}: ${data.message}` });
        break;
    }
  };
  return { article, add };
}
