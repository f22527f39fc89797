import type { CatalogFault } from "@orchd/client";
import { useEffect, useId, useRef } from "preact/hooks";

interface EditorProps {
  readonly path: string;
  readonly text: string;
  /** Of this file. */
  readonly faults: readonly CatalogFault[];
  readonly isReadOnly: boolean;
  /** The line to show first. */
  readonly line: number | null;
  readonly onInput: (text: string) => void;
}

/** A text with its line numbers, and what the loader says at its lines. Tab leaves the field, as elsewhere. */
export const Editor = ({ path, text, faults, isReadOnly, line, onInput }: EditorProps) => {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLPreElement>(null);
  const marked = new Set(faults.map((fault) => fault.line));
  const show = (to: number) => {
    const element = area.current;
    if (element === null) return;
    const lines = element.value.split("\n");
    const begin = lines.slice(0, to - 1).reduce((sum, one) => sum + one.length + 1, 0);
    element.focus();
    element.setSelectionRange(begin, begin + (lines[to - 1]?.length ?? 0));
    element.scrollTop = Math.max(0, (element.scrollHeight / lines.length) * (to - 4));
  };
  useEffect(() => {
    if (line !== null) show(line);
  }, [path, line]);
  return (
    <div class="editor">
      <label class="sr-only" for={id}>
        {path}
      </label>
      <div class="editor-area">
        <pre ref={gutter} class="gutter" aria-hidden="true">
          {text.split("\n").map((_, at) => (
            <span key={at} class={marked.has(at + 1) ? "faulty" : ""}>
              {at + 1}
              {"\n"}
            </span>
          ))}
        </pre>
        <textarea
          ref={area}
          id={id}
          class="code"
          wrap="off"
          spellcheck={false}
          readOnly={isReadOnly}
          value={text}
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-faults`}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
          onScroll={({ currentTarget }) => {
            if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop;
          }}
        />
      </div>
      <ul id={`${id}-faults`} class="faults">
        {faults.map((fault) => (
          <li key={`${fault.line ?? 0} ${fault.message}`}>
            {fault.line !== undefined && fault.line !== null ? (
              <button type="button" class="small" onClick={() => show(fault.line ?? 1)}>
                Line {fault.line}
              </button>
            ) : (
              <span class="dim">The file</span>
            )}{" "}
            <span>{fault.message.replace(/^line \d+: /, "")}</span>
          </li>
        ))}
      </ul>
    </div>
  );
};
