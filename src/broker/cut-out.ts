import { Transform } from "node:stream";

const REPLACED = Buffer.from("(redacted)");

/**
 * Replaces a secret in a stream, also across the borders of chunks. Bytes are held back only while they may be the beginning
 * of it, so that an event is passed on when it ends.
 */
export function cutOut(secret: Buffer): Transform {
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const out: Buffer[] = [];
      let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (let at = rest.indexOf(secret); at >= 0; at = rest.indexOf(secret)) {
        out.push(rest.subarray(0, at), REPLACED);
        rest = rest.subarray(at + secret.length);
      }
      const tail = beginningAtEnd(rest, secret);
      out.push(rest.subarray(0, rest.length - tail));
      held = Buffer.from(rest.subarray(rest.length - tail));
      done(null, Buffer.concat(out));
    },
    flush(done) {
      done(null, held);
    },
  });
}

/** How many bytes at the end of a text are the beginning of a secret. */
function beginningAtEnd(text: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--)
    if (secret.subarray(0, length).equals(text.subarray(text.length - length))) return length;
  return 0;
}
