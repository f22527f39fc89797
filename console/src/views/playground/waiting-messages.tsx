import type { WaitingMessage } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import type { Conversation } from "./conversation.ts";
import { EditMessage } from "./edit-message.tsx";

/** Messages that no turn has taken yet. They can be changed and removed. */
export const WaitingMessages = ({ conversation }: { readonly conversation: Conversation }) =>
  conversation.waiting.length === 0 ? null : (
    <section class="waiting" aria-label="Waiting messages">
      <ul>
        {conversation.waiting.map((message) => (
          <li key={message.message_id}>
            <Waiting message={message} conversation={conversation} />
          </li>
        ))}
      </ul>
    </section>
  );

interface WaitingProps {
  readonly message: WaitingMessage;
  readonly conversation: Conversation;
}

const Waiting = ({ message: { message_id: id, when_busy, text, attachments = [] }, conversation }: WaitingProps) => {
  const [isEdited, setEdited] = useState(false);
  const { isBusy, run } = useAction();
  return (
    <>
      <div class="controls">
        <span class="dim">{when_busy === "steer" ? "steers" : "queued"}</span>
        <bdi class="waiting-text">
          {text === "" ? attachments.map(({ name }) => name ?? "a file").join(", ") : text}
        </bdi>
        <button type="button" class="small" aria-expanded={isEdited} onClick={() => setEdited(!isEdited)}>
          Edit
        </button>
        <button
          type="button"
          class="small"
          disabled={isBusy}
          onClick={() => void run(() => conversation.removeWaiting(id))}
        >
          Remove
        </button>
      </div>
      {isEdited && (
        <EditMessage
          text={text}
          action="Change"
          note={attachments.length > 0 ? "Its files are not kept." : null}
          onSend={(changed) => void run(() => conversation.editWaiting(id, changed))}
          onClose={() => setEdited(false)}
        />
      )}
    </>
  );
};
