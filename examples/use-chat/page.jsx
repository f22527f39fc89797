import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { authorization, call, engineUrl } from "./engine.js";
import { LOCATION_TOOL, getLocation } from "./location-tool.js";
import { Part } from "./part.jsx";

/** The chat is a task of the engine; the address of the page names it. */
if (location.hash === "") history.replaceState(null, "", `#${crypto.randomUUID()}`);
const id = location.hash.slice(1);
const path = `/v1/ui/chat/${encodeURIComponent(id)}`;

const transport = new DefaultChatTransport({
  api: `${engineUrl}/v1/ui/chat`,
  headers: authorization,
  body: { thinking: true, client_tools: [LOCATION_TOOL] },
});

/** A message goes back to the engine when the page has answered all that it asks. */
const isAnswered = (chat) =>
  lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat);

function Chat({ messages: said }) {
  const chat = useChat({
    id,
    messages: said,
    transport,
    // Shows the rest of an answer after a reload.
    resume: true,
    sendAutomaticallyWhen: isAnswered,
    onToolCall({ toolCall: { toolName: tool, toolCallId } }) {
      if (tool !== LOCATION_TOOL.name) return;
      getLocation().then(
        (output) => chat.addToolOutput({ tool, toolCallId, output }),
        ({ message }) => chat.addToolOutput({ tool, toolCallId, state: "output-error", errorText: message }),
      );
    },
  });
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  return (
    <>
      <div role="log" aria-label="Conversation" aria-busy={isBusy}>
        {chat.messages.map((message) => (
          <Message key={message.id} message={message} chat={chat} />
        ))}
      </div>
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <button onClick={() => chat.regenerate()} disabled={isBusy || chat.messages.length === 0}>
        Answer again
      </button>
      <button onClick={() => call(`${path}/stop`, "POST")} disabled={!isBusy}>
        Stop
      </button>
      <Composer label="Message" send={(text) => chat.sendMessage({ text })} />
    </>
  );
}

function Message({ message, chat }) {
  const [isEdited, setEdited] = useState(false);
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const send = (changed) => {
    setEdited(false);
    return chat.sendMessage({ text: changed, messageId: message.id });
  };
  if (isEdited) return <Composer label="Your message" initial={text} send={send} />;
  return (
    <article className={message.role}>
      {message.parts.map((part, index) => (
        <Part key={index} part={part} answer={chat} />
      ))}
      {message.role === "user" && <button onClick={() => setEdited(true)}>Edit</button>}
      {message.metadata?.error?.code}
    </article>
  );
}

function Composer({ label, initial = "", send }) {
  const [text, setText] = useState(initial);
  const submit = (event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    setText("");
    send(text);
  };
  return (
    <form onSubmit={submit}>
      <textarea aria-label={label} value={text} onChange={({ target }) => setText(target.value)} />
      <button>Send</button>
    </form>
  );
}

/** What was said before comes first. */
function Page() {
  const [loaded, setLoaded] = useState(null);
  useEffect(() => {
    call(`${path}/messages`).then(setLoaded, ({ message }) => setLoaded({ problem: message }));
  }, []);
  if (loaded === null) return <p>Loading</p>;
  return loaded.problem === undefined ? <Chat messages={loaded.messages} /> : <p role="alert">{loaded.problem}</p>;
}

createRoot(document.getElementById("page")).render(<Page />);
