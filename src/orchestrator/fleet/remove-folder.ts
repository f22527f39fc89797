import { rm } from "node:fs/promises";
import { execa } from "execa";

/** Paths longer than the kernel takes, and folders that their owner may not write, as those of Go's module cache. */
const STUBBORN = ["ENAMETOOLONG", "EACCES", "EPERM"];
const MAX_MS = 600_000;

/** Removes a folder with all that commands of an engine have left in it; none is no error. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && STUBBORN.includes(String(error.code)))) throw error;
    const options = { stdin: "ignore", stdout: "ignore", timeout: MAX_MS } as const;
    // What it could not change is told by the next command.
    await execa("chmod", ["-R", "u+rwX", "--", folder], { ...options, stderr: "ignore", reject: false });
    await execa("rm", ["-rf", "--", folder], options);
  }
}
