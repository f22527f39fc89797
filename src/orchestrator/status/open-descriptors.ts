import { readdirSync, statSync } from "node:fs";

const FOLDER = "/proc/self/fd";

/**
 * The open descriptors of this process. Linux 6.2 and newer report their number as the size of the folder. With 10,000
 * sleeping engines, listing it took 14 ms (bench row "the daemon's CPU for a GET /metrics with 10000 engines").
 */
export function countDescriptors(): number {
  const { size } = statSync(FOLDER);
  // One is that of the listing.
  return size > 0 ? size : readdirSync(FOLDER).length - 1;
}
