import { readFile, readlink } from "node:fs/promises";

/** This machine and its network namespace: where one loopback address is the same. Null where the kernel does not say. */
export async function ownPlace(): Promise<string | null> {
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
