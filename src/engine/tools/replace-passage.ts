export type Edit =
  | { readonly kind: "edited"; readonly text: string; readonly lines: readonly number[] }
  /** Words for the model on why, and on what would help. */
  | { readonly kind: "refused"; readonly words: string };

const MAX_LINES_TOLD = 10;

/**
 * Replaces a passage that stands in a text exactly as given. Everything else keeps its bytes; in a file with Windows
 * line endings the passage and what replaces it have them too.
 */
export function replacePassage(
  text: string,
  wish: { readonly passage: string; readonly replacement: string; readonly all: boolean },
): Edit {
  const fit = endingsOf(text);
  const [passage, replacement] = [fit(wish.passage), fit(wish.replacement)];
  if (passage === replacement) return refused("old_text and new_text are the same");
  const parts = text.split(passage);
  if (parts.length === 1) return refused(`old_text was not found${nearMiss(text, passage)}`);
  const lines = startLines(parts, passage);
  if (parts.length > 2 && !wish.all) {
    const told = lines.slice(0, MAX_LINES_TOLD).join(", ");
    return refused(
      `old_text occurs ${lines.length} times, in lines ${told}${lines.length > MAX_LINES_TOLD ? "…" : ""}; give more of what stands around it, or set replace_all`,
    );
  }
  return { kind: "edited", text: parts.join(replacement), lines };
}

const refused = (words: string): Edit => ({ kind: "refused", words });

/** A model writes plain line ends; they are meant to be the file's, where that has only one kind. */
function endingsOf(text: string): (passage: string) => string {
  const windows = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  return (passage) => (windows ? passage.replaceAll(/\r?\n/g, "\r\n") : passage);
}

/** The line that each occurrence begins in, counted from 1. */
function startLines(parts: readonly string[], passage: string): number[] {
  const breaks = (text: string) => text.split("\n").length - 1;
  let line = 1;
  return parts.slice(0, -1).map((part) => {
    line += breaks(part);
    const begin = line;
    line += breaks(passage);
    return begin;
  });
}

/** Mostly it is the blanks that a model gets wrong. */
function nearMiss(text: string, passage: string): string {
  const plain = (line: string) => line.trim().replaceAll(/\s+/g, " ");
  const wanted = passage.trim().split("\n").map(plain);
  const lines = text.split("\n").map(plain);
  const at = lines.findIndex((_, index) => wanted.every((line, offset) => lines[index + offset] === line));
  return at === -1
    ? "; read the file and copy the passage from it"
    : `; what begins in line ${at + 1} differs from it only in blanks: read those lines and copy them`;
}
