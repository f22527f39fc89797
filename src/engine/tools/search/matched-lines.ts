const MAX_LINE = 500;

/** The lines at `hits` with context, as grep prints them: `path:12: text`, context `path-11- text`. */
export function matchedLines(
  text: string,
  hits: readonly number[],
  { path, context }: { readonly path: string; readonly context: number },
): readonly string[] {
  const lines = text.split(/\r?\n/);
  const marks = new Map<number, ":" | "-">();
  for (const hit of hits) {
    for (let at = Math.max(0, hit - context); at <= Math.min(lines.length - 1, hit + context); at++) {
      if (!marks.has(at)) marks.set(at, "-");
    }
  }
  for (const hit of hits) marks.set(hit, ":");
  let last: number | undefined;
  return [...marks].flatMap(([at, mark]) => {
    const line = `${path}${mark}${at + 1}${mark} ${truncated(lines[at] ?? "")}`;
    const gap = context > 0 && last !== undefined && at > last + 1;
    last = at;
    return gap ? ["--", line] : [line];
  });
}

const truncated = (line: string): string =>
  line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}… [${line.length} characters]`;
