import { signal } from "@preact/signals";
import { navigate } from "../routing/address.ts";

/** Whether the list of shortcuts is shown. */
export const isHelpOpen = signal(false);

/** How long the second key of `g` and a letter may take. */
const SEQUENCE_MS = 1500;

/** Keys that work on every view. `targets` maps the letter after `g` to a path. */
export function followShortcuts(targets: ReadonlyMap<string, string>): () => void {
  let goUntil = 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]") !== null) return;
    const { key } = event;
    const path = event.timeStamp < goUntil ? targets.get(key) : undefined;
    goUntil = key === "g" ? event.timeStamp + SEQUENCE_MS : 0;
    if (path !== undefined) navigate(path);
    else if (key === "?") isHelpOpen.value = true;
    else if (key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus();
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
