import { readFile, readlink } from "node:fs/promises";

/** An id of this machine and its network namespace, within which loopback addresses are shared. Null when unknown. */
export async function hostNetworkId(): Promise<string | null> {
  try {
    const [bootId, network] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readlink("/proc/self/ns/net"),
    ]);
    return `${bootId.trim()} ${network}`;
  } catch {
    return null;
  }
}
