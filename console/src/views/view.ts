import type { SessionRole } from "@orchd/client";
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { PathParams } from "../routing/path-pattern.ts";

export interface ViewProps {
  readonly params: PathParams;
}

/** `preload` loads the script of a view that is not part of the first one. */
export type ViewComponent = ComponentType<ViewProps> & { readonly preload?: () => Promise<void> };

/** One view of the console: one row of the view table. */
export interface View {
  /** Such as `/engines/:engine/turns`. */
  readonly path: string;
  readonly title: string;
  /** The role that a person needs to open it. Left out, every role opens it. */
  readonly role?: SessionRole;
  readonly component: ViewComponent;
  /** Entry of the navigation, and the key after `g` that leads to it. */
  readonly key?: string;
  /** What the entry counts; empty for nothing. */
  readonly count?: ReadonlySignal<string>;
  /** The path of the entry of the navigation that it belongs to, if that is not the entry of its engine or product. */
  readonly within?: string;
  /** Tabs of one engine or one product share a header; the parameter is `engine` or `product`. */
  readonly tabOf?: "engine" | "product";
}
