import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const PIECE = 4 * 1024 * 1024;

/** Which of these texts a process has in its memory, as a debugger of its user or of root reads it. */
export function findInMemory(pid: number, texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const needles = texts.flatMap((text) =>
    [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le")].map((bytes) => ({ text, bytes })),
  );
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length));
  const piece = Buffer.alloc(PIECE + overlap);
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const [, from = "", to = ""] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
      if (from === "" || line.endsWith("[vvar]") || line.endsWith("[vsyscall]")) continue;
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += PIECE) {
        const length = readAt(memory, piece, { at, length: Math.min(piece.length, end - at) });
        for (const { text, bytes } of needles) if (piece.subarray(0, length).includes(bytes)) found.add(text);
      }
    }
  } finally {
    closeSync(memory);
  }
  return [...found];
}

/** 0 for pages that cannot be read, such as those of a device or that were released meanwhile. */
function readAt(
  memory: number,
  into: Buffer,
  { at, length }: { readonly at: number; readonly length: number },
): number {
  try {
    return readSync(memory, into, 0, length, at);
  } catch {
    return 0;
  }
}
