/** The page names its script, whose name changes with every release. */
const OWN_SCRIPT = new URL(import.meta.url).pathname.split("/").at(-1) ?? "";
/** A page that was reloaded is not reloaded again before: replicas may be of two releases during an update. */
const ONE_RELOAD_MS = 10_000;

/** Whether the daemon serves another release of the console than this page, and a reload shows it. */
export async function isReplaced(): Promise<boolean> {
  const [opened] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (opened?.type === "reload" && performance.now() < ONE_RELOAD_MS) return false;
  const page = await readPage();
  return page !== null && !page.includes(OWN_SCRIPT);
}

/** Reloads the page, unless the daemon does not answer: the browser would show an error in its place. */
export async function reloadIfServed(): Promise<void> {
  if ((await readPage()) !== null) location.reload();
}

async function readPage(): Promise<string | null> {
  try {
    const answer = await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}
