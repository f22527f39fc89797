import { useEffect, useState } from "preact/hooks";
import type { MarkdownElements } from "./elements.tsx";
import { loadMarkdown, markdownElements } from "./load-elements.ts";

interface MarkdownProps {
  readonly text: string;
  /** Whether more of it comes. */
  readonly isGrowing?: boolean;
}

/** A text in Markdown as elements of the page, and as it was written until the script for it is there. */
export const Markdown = ({ text, isGrowing = false }: MarkdownProps) => {
  useEffect(() => void loadMarkdown(), []);
  const Elements = markdownElements.value;
  return (
    <div class="markdown">
      {Elements === null ? (
        <p class="as-written">{text}</p>
      ) : (
        <Shown Elements={Elements} text={text} isGrowing={isGrowing} />
      )}
    </div>
  );
};

interface ShownProps extends Required<MarkdownProps> {
  readonly Elements: typeof MarkdownElements;
}

const Shown = ({ Elements, text, isGrowing }: ShownProps) => {
  const [shown] = useState(() => new Elements());
  return <>{shown.of(text, isGrowing)}</>;
};
