import type { ComponentChildren } from "preact";

interface FactProps {
  readonly name: string;
  /** Whether it is a sentence, which gets a line of its own. */
  readonly isLong?: boolean;
  readonly children: ComponentChildren;
}

/** One entry of a list of facts, which is a `<dl class="facts">`. */
export const Fact = ({ name, isLong = false, children }: FactProps) => (
  <div class={isLong ? "long" : undefined}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
