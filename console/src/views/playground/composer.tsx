import { type MessageContent, attachment } from "@orchd/client";
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useHiddenEnds } from "../../parts/use-hidden-ends.ts";
import { notify } from "../../parts/notices.tsx";
import { SANDBOX_COMMANDS } from "./sandbox-commands.ts";

/** What becomes of a message while a turn runs. `interrupt` also cuts the answer of the model that is being written. */
export type Later = "steer" | "interrupt" | "queue";

interface ComposerProps {
  /** What is written. */
  readonly draft: Signal<string>;
  readonly isBusy: boolean;
  readonly isSandbox: boolean;
  /** Resolves with whether it was sent. `later` is for a conversation whose turn runs. */
  readonly onSend: (content: MessageContent, text: string, later: Later) => Promise<boolean>;
  readonly onCancel: () => void;
  /** More buttons. */
  readonly children: ComponentChildren;
}

/**
 * Where a message is written. Enter sends it, Shift and Enter start a line. While a turn runs, Enter hands it to this turn,
 * Control and Enter cut the answer for it, and Alt and Enter let it wait for its own.
 */
export const Composer = (props: ComposerProps) => {
  const { draft, isBusy, isSandbox, onSend, onCancel, children } = props;
  const text = draft.value;
  const [files, setFiles] = useState<readonly File[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const commands = useRef<HTMLDivElement>(null);
  useHiddenEnds(commands, isSandbox);
  const isEmpty = text.trim() === "" && files.length === 0;
  const send = async (later: Later) => {
    if (isEmpty) return;
    try {
      const parts = await Promise.all(files.map((file) => attachment(file)));
      const words = text.trim() === "" ? [] : [{ type: "text", text } as const];
      const content = parts.length === 0 ? text : [...words, ...parts];
      if (!(await onSend(content, text, later))) return;
      draft.value = "";
      setFiles([]);
    } catch {
      notify("problem", "A file cannot be read.");
    }
  };
  const insert = (line: string) => {
    draft.value = (text === "" || text.endsWith("\n") ? text : `${text}\n`) + line;
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
        <div ref={commands} class="chips" role="group" aria-label="Commands of the sandbox model">
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
        onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send(event.altKey ? "queue" : event.ctrlKey || event.metaKey ? "interrupt" : "steer");
        }}
      />
      <div class="controls">
        {isBusy ? (
          <>
            <button type="submit" class="primary" disabled={isEmpty} title="Enter">
              Steer
            </button>
            <button type="button" disabled={isEmpty} title="Control and Enter" onClick={() => void send("interrupt")}>
              Interrupt
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
        {children}
      </div>
    </form>
  );
};
