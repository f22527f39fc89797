import { Transform } from "node:stream";

/** A text of bytes, and what takes its place. */
export interface Replacement {
  readonly found: Buffer;
  readonly by: Buffer;
}

/**
 * Replaces texts in a stream, also across the borders of chunks: the result does not depend on them. Bytes are held back
 * only while they may be the beginning of a text, so that an event is passed on when it ends.
 */
export function replaceInStream(replacements: readonly Replacement[]): Transform {
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const { out, rest } = replaceIn(bytes, replacements, { isEnd: false });
      const tail = beginningAtEnd(rest, replacements);
      held = Buffer.from(rest.subarray(rest.length - tail));
      done(null, Buffer.concat([...out, rest.subarray(0, rest.length - tail)]));
    },
    flush(done) {
      done(null, whole(held, replacements));
    },
  });
}

/** The same in a header, whose bytes are those of Latin 1. */
export const replaceInText = (text: string, replacements: readonly Replacement[]): string =>
  whole(Buffer.from(text, "latin1"), replacements).toString("latin1");

function whole(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  const { out, rest } = replaceIn(bytes, replacements, { isEnd: true });
  return Buffer.concat([...out, rest]);
}

/**
 * Each text is searched for again only behind where it was found: many hits cost as much as one search of each. Before the
 * end, a text within what may become a longer one is not replaced yet: otherwise the end of the longer one would remain.
 */
function replaceIn(
  bytes: Buffer,
  replacements: readonly Replacement[],
  { isEnd }: { readonly isEnd: boolean },
): { readonly out: readonly Buffer[]; readonly rest: Buffer } {
  const out: Buffer[] = [];
  const found = replacements.map((of) => ({ of, at: bytes.indexOf(of.found) }));
  // Where what may be a beginning stands at the end. Not known yet.
  let openAt = -1;
  for (let from = 0; ;) {
    let first: { readonly at: number; readonly of: Replacement } | null = null;
    for (const next of found) {
      if (next.at >= 0 && next.at < from) next.at = bytes.indexOf(next.of.found, from);
      const { at, of } = next;
      const isBefore = first === null || at < first.at || (at === first.at && of.found.length > first.of.found.length);
      if (at >= 0 && isBefore) first = { at, of };
    }
    if (first === null) return { out, rest: bytes.subarray(from) };
    if (openAt < from)
      openAt = isEnd ? bytes.length : bytes.length - beginningAtEnd(bytes.subarray(from), replacements);
    if (first.at >= openAt) return { out, rest: bytes.subarray(from) };
    out.push(bytes.subarray(from, first.at), first.of.by);
    from = first.at + first.of.found.length;
  }
}

/** How many bytes at the end may be the beginning of a text. */
function beginningAtEnd(bytes: Buffer, replacements: readonly Replacement[]): number {
  let longest = 0;
  for (const { found } of replacements) {
    const first = found[0];
    if (first === undefined) continue;
    // From the longest on, and only where the first byte of the text is.
    let at = bytes.indexOf(first, Math.max(0, bytes.length - found.length + 1));
    for (; at >= 0 && bytes.length - at > longest; at = bytes.indexOf(first, at + 1))
      if (bytes.compare(found, 0, bytes.length - at, at) === 0) longest = bytes.length - at;
  }
  return longest;
}
