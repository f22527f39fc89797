import { loadMarkdown } from "../parts/markdown/load-elements.ts";
import type { View } from "../views/view.ts";
import { HEADERS } from "../views/view-table.ts";
import { viewAt } from "./view-at.ts";

/** Loads the scripts of views while the browser is idle, and that of a link at once when somebody points at it or focuses it. */
export function preloadViews(views: readonly View[]): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const onLink = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a[href^="#/"]') : null;
    const [path = ""] = link?.getAttribute("href")?.slice(1).split("?") ?? [];
    if (link !== null) void preload(viewAt(path).view);
  };
  addEventListener("pointerover", onLink, { signal, passive: true });
  addEventListener("focusin", onLink, { signal });
  void whenIdle(views, signal);
  return () => abort.abort();
}

async function whenIdle(views: readonly View[], signal: AbortSignal): Promise<void> {
  for (const view of views) {
    await new Promise<void>((resolve) => requestIdle(() => resolve()));
    if (signal.aborted) return;
    await preload(view);
  }
  // What views of answers load, last.
  requestIdle(() => void (signal.aborted || loadMarkdown()));
}

/** A script that does not load is asked for again when its view is opened, which says so. */
async function preload(view: View | null): Promise<void> {
  const header = view?.tabOf === undefined ? undefined : HEADERS[view.tabOf];
  await Promise.allSettled([view?.component.preload?.(), header?.preload?.()]);
}

/** Not all browsers say when they are idle. */
const requestIdle = (run: () => void) =>
  "requestIdleCallback" in globalThis ? requestIdleCallback(run) : setTimeout(run, 200);
