import { fileUrl } from "./engine.js";

/** A part of a message. `answer` has what `useChat` answers with. */
export function Part({ part, answer }) {
  switch (part.type) {
    case "text":
      return <div className="text">{part.text}</div>;
    case "reasoning":
      return <div className="reasoning">{part.text}</div>;
    case "dynamic-tool":
      return part.toolName === "ask_human" ? (
        <Question part={part} answer={answer} />
      ) : (
        <Tool part={part} answer={answer} />
      );
    case "file":
      return part.mediaType.startsWith("image/") ? (
        <img src={fileUrl(part.url)} alt={part.filename ?? "a file"} />
      ) : (
        <a href={fileUrl(part.url)}>{part.filename ?? "a file"}</a>
      );
    case "steering-message":
      return <blockquote>{part.parts.map(({ text }) => text)}</blockquote>;
    default:
      return null;
  }
}

function Tool({ part, answer }) {
  const { toolName, input, output, errorText, approval, state } = part;
  const respond = (approved, reason) => answer.addToolApprovalResponse({ id: approval.id, approved, reason });
  return (
    <div className="tool">
      {toolName} {JSON.stringify(input)} {state}: {errorText ?? (output === undefined ? "" : JSON.stringify(output))}
      {state === "approval-requested" && (
        <div>
          {approval.requestReason}
          <button onClick={() => respond(true)}>Allow</button>
          <button onClick={() => respond(true, "allow_always")}>Always allow</button>
          <button onClick={() => respond(false)}>Deny</button>
        </div>
      )}
    </div>
  );
}

function Question({ part, answer }) {
  const { input, output, state, toolCallId } = part;
  const reply = (text) => answer.addToolOutput({ tool: "ask_human", toolCallId, output: text });
  const given = output?.answer ?? output;
  return (
    <div className="question">
      {input?.question} {given}
      {state === "input-available" &&
        (input.options ?? []).map((option) => (
          <button key={option} onClick={() => reply(option)}>
            {option}
          </button>
        ))}
      {state === "input-available" && !input.options?.length && (
        <input aria-label="Your answer" onKeyDown={({ key, target }) => key === "Enter" && reply(target.value)} />
      )}
    </div>
  );
}
