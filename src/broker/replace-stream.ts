import { Transform } from "node:stream";

/** A text of bytes, and what takes its place. */
export interface Replacement {
  readonly found: Buffer;
  readonly by: Buffer;
}

/**
 * Replaces texts in a stream, also across the borders of chunks. Bytes are held back only while they may be the beginning
 * of one, so that an event is passed on when it ends.
 */
export function replaceInStream(replacements: readonly Replacement[]): Transform {
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const { out, rest } = replaceIn(bytes, replacements);
      const tail = beginningAtEnd(rest, replacements);
      held = Buffer.from(rest.subarray(rest.length - tail));
      done(null, Buffer.concat([...out, rest.subarray(0, rest.length - tail)]));
    },
    flush(done) {
      done(null, held);
    },
  });
}

/** The same in a header, whose bytes are those of Latin 1. */
export function replaceInText(text: string, replacements: readonly Replacement[]): string {
  const { out, rest } = replaceIn(Buffer.from(text, "latin1"), replacements);
  return Buffer.concat([...out, rest]).toString("latin1");
}

function replaceIn(
  bytes: Buffer,
  replacements: readonly Replacement[],
): { readonly out: readonly Buffer[]; readonly rest: Buffer } {
  const out: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    let first: { readonly at: number; readonly of: Replacement } | null = null;
    for (const of of replacements) {
      const at = rest.indexOf(of.found);
      // Of two that begin together the longer one counts: otherwise its end would remain.
      const isBefore = first === null || at < first.at || (at === first.at && of.found.length > first.of.found.length);
      if (at >= 0 && isBefore) first = { at, of };
    }
    if (first === null) return { out, rest };
    out.push(rest.subarray(0, first.at), first.of.by);
    rest = rest.subarray(first.at + first.of.found.length);
  }
}

/** How many bytes at the end may be the beginning of a text. */
function beginningAtEnd(bytes: Buffer, replacements: readonly Replacement[]): number {
  let longest = 0;
  for (const { found } of replacements)
    for (let length = Math.min(found.length - 1, bytes.length); length > longest; length--)
      if (found.subarray(0, length).equals(bytes.subarray(bytes.length - length))) longest = length;
  return longest;
}
