import { chmod, mkdir } from "node:fs/promises";

/** A folder that others may pass through, whatever our umask is. */
export async function passableFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made !== undefined) await chmod(folder, 0o711);
}
