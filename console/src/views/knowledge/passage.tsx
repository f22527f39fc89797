import type { ComponentChildren } from "preact";

interface PassageProps {
  readonly heading: readonly string[];
  readonly text: string;
  /** Where it is. */
  readonly children: ComponentChildren;
}

/** The text of a passage as it was read, with its headings and place. */
export const Passage = ({ heading, text, children }: PassageProps) => (
  <article class="callout passage">
    <p class="head">
      <bdi>{heading.join(" › ")}</bdi>
      <span class="dim">{children}</span>
    </p>
    <p class="passage-text" dir="auto">
      {text}
    </p>
  </article>
);
