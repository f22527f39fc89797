import { signal } from "@preact/signals";
import type { MarkdownElements } from "./elements.tsx";

/** Null until its script is there, which is larger than a view. */
export const markdownElements = signal<typeof MarkdownElements | null>(null);
let loading: Promise<void> | null = null;

/** Part of the first page, which has the styles: an import from elsewhere would ask for their file. */
export const loadMarkdown = (): Promise<void> => (loading ??= load());

async function load(): Promise<void> {
  try {
    markdownElements.value = (await import("./elements.tsx")).MarkdownElements;
  } catch {
    // Without a connection, or after an update of the daemon. The next text asks again.
    loading = null;
  }
}
