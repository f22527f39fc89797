import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface EditProps {
  readonly text: string;
  /** What sends it. */
  readonly action: string;
  readonly note: string | null;
  readonly onSend: (text: string) => void;
  readonly onClose: () => void;
}

/** Where a message is edited. Enter sends it, Escape leaves it as it was. The focus returns to what opened it. */
export const EditMessage = ({ text: before, action, note, onSend, onClose }: EditProps) => {
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    field.current?.focus();
    // After the page is drawn without the field: an element that is moved loses the focus.
    return () => queueMicrotask(() => opener instanceof HTMLElement && opener.focus());
  }, []);
  const send = () => {
    if (text.trim() === "") return;
    onClose();
    onSend(text);
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={3}
        aria-label="Edited message"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="controls">
        <button type="submit" class="primary" disabled={text.trim() === ""}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        {note !== null && <span class="dim">{note}</span>}
      </div>
    </form>
  );
};
