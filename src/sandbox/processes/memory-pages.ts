import { processFolder, readProc } from "./process-table.ts";

/** The size of a page on x86-64, and on arm64 as most systems set it up. `/proc` counts in pages. */
export const PAGE_BYTES = 4096;

interface Pages {
  readonly resident: number;
  readonly shared: number;
}

/** No pages when the process is gone. */
export function pagesOf(pid: number): Pages {
  const pages = pagesIn(`/proc/${pid}`);
  // Perhaps only its first thread has exited. Asking that first costs as much again for each process.
  return pages.resident > 0 ? pages : pagesIn(processFolder(pid));
}

function pagesIn(folder: string): Pages {
  const [, resident = 0, shared = 0] = (readProc(`${folder}/statm`) ?? "").split(" ").map(Number);
  return { resident, shared };
}
