import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Settings } from "./settings.ts";

/** How long the opener is watched. It exits at once, or becomes the browser. */
const OPENER_MS = 3000;

/**
 * Opens a URL in the user's browser. The URL contains a secret, which an argument would show to other users of
 * the machine: the browser opens a file that only its owner can read, which leads there. False without a browser.
 */
export async function openBrowser(
  { configDir, environment }: Pick<Settings, "configDir" | "environment">,
  address: string,
): Promise<boolean> {
  const opener = openerOf(environment);
  if (opener === null) return false;
  await mkdir(configDir, { recursive: true, mode: 0o700 });
  const file = join(configDir, "console.html");
  // An earlier file may have another mode.
  await rm(file, { force: true });
  await writeFile(file, pageTo(address), { mode: 0o600 });
  const child = spawn(opener, [pathToFileURL(file).href], { stdio: "ignore", detached: true });
  try {
    return await opened(child);
  } finally {
    child.unref();
  }
}

/** The desktop's program that opens a file; null without a desktop. */
function openerOf(environment: Settings["environment"]): string | null {
  if (process.platform === "darwin") return "open";
  const hasDesktop = environment["DISPLAY"] !== undefined || environment["WAYLAND_DISPLAY"] !== undefined;
  return hasDesktop ? "xdg-open" : null;
}

const pageTo = (address: string): string => {
  const escaped = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>orchd</title><meta http-equiv="refresh" content="0; url=${escaped}"><a href="${escaped}">console</a>\n`;
};

/** Whether the opener has succeeded, or still runs as the browser. */
async function opened(opener: ChildProcess): Promise<boolean> {
  try {
    const [code] = (await once(opener, "exit", { signal: AbortSignal.timeout(OPENER_MS) })) as [number | null];
    return code === 0;
  } catch (error) {
    // The program is missing, or has timed out.
    return error instanceof Error && error.name === "AbortError";
  }
}
