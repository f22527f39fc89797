import { type MessageContent, attachment } from "@orchd/client";
import { useRef, useState } from "preact/hooks";
import { notify } from "../../parts/notices.tsx";
import { CopyAs } from "./copy-as.tsx";
import { SANDBOX_COMMANDS } from "./sandbox-commands.ts";

export type Later = "steer" | "queue";

interface ComposerProps {
  readonly url: string;
  readonly taskId: string;
  readonly isBusy: boolean;
  readonly isSandbox: boolean;
  readonly thinking: boolean;
  readonly onThinking: (thinking: boolean) => void;
  /** Resolves with whether it was sent. While a turn runs, `later` says where the message goes. */
  readonly onSend: (content: MessageContent, text: string, later: Later | null) => Promise<boolean>;
  readonly onCancel: () => void;
}

/**
 * Where a message is written. Enter sends it, Shift and Enter start a line. While a turn runs, Enter hands it to this turn,
 * and Alt and Enter let it wait for its own.
 */
export const Composer = (props: ComposerProps) => {
  const { url, taskId, isBusy, isSandbox, thinking, onThinking, onSend, onCancel } = props;
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly File[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const isEmpty = text.trim() === "" && files.length === 0;
  const send = async (busy: Later) => {
    if (isEmpty) return;
    try {
      const parts = await Promise.all(files.map((file) => attachment(file)));
      const words = text.trim() === "" ? [] : [{ type: "text", text } as const];
      const content = parts.length === 0 ? text : [...words, ...parts];
      if (!(await onSend(content, text, isBusy ? busy : null))) return;
      setText("");
      setFiles([]);
    } catch {
      notify("problem", "A file cannot be read.");
    }
  };
  const insert = (line: string) => {
    setText((before) => (before === "" || before.endsWith("\n") ? before : `${before}\n`) + line);
    field.current?.focus();
  };
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        void send("steer");
      }}
    >
      {isSandbox && (
        <div class="chips" role="group" aria-label="Commands of the sandbox model">
          {SANDBOX_COMMANDS.map(({ name, line, effect }) => (
            <button key={name} type="button" class="chip" title={effect} onClick={() => insert(line)}>
              {name}
            </button>
          ))}
        </div>
      )}
      <textarea
        ref={field}
        rows={3}
        aria-label="Message"
        placeholder={isSandbox ? "A message, or commands of the sandbox model" : "A message"}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send(event.altKey ? "queue" : "steer");
        }}
      />
      <div class="controls">
        {isBusy ? (
          <>
            <button type="submit" class="primary" disabled={isEmpty} title="Enter">
              Steer
            </button>
            <button type="button" disabled={isEmpty} title="Alt and Enter" onClick={() => void send("queue")}>
              Queue
            </button>
            <button type="button" class="danger" onClick={onCancel}>
              Cancel the turn
            </button>
          </>
        ) : (
          <button type="submit" class="primary">
            Send
          </button>
        )}
        <label class="button">
          {files.length === 0 ? "Attach files" : `${files.length} ${files.length === 1 ? "file" : "files"}`}
          <input
            class="sr-only"
            type="file"
            multiple
            onChange={({ currentTarget }) => setFiles([...(currentTarget.files ?? [])])}
          />
        </label>
        <label class="check-label">
          <input
            type="checkbox"
            checked={thinking}
            onChange={({ currentTarget }) => onThinking(currentTarget.checked)}
          />
          Thinking
        </label>
        <CopyAs call={{ url, taskId, message: text === "" ? "What can you do?" : text, thinking }} />
      </div>
    </form>
  );
};
