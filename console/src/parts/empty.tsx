import type { ComponentChildren } from "preact";
import { Command } from "./copy.tsx";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** A command that changes it. */
  readonly command?: string;
}

/** Says why there is nothing, and what to do next. */
export const Empty = ({ title, children, command }: EmptyProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
    {command !== undefined && <Command text={command} />}
  </div>
);
