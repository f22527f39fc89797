import { Transform } from "node:stream";
import { callbackify } from "node:util";
import { PLACEHOLDER_BEGINNING, type Placeholder, placeholderPattern } from "../contract/broker/placeholder.ts";

/** Longer than any placeholder. */
const MAX_BEGINNING = 128;

/** Replaces placeholders in a body, also across the borders of chunks. One that `valueOf` refuses ends the stream. */
export function fillBody(valueOf: (placeholder: Placeholder) => Promise<string>): Transform {
  let held = "";
  const fill = async (text: string): Promise<Buffer> => {
    const out: string[] = [];
    let from = 0;
    for (const match of text.matchAll(placeholderPattern())) {
      const [found, name = ""] = match;
      out.push(text.slice(from, match.index), await valueOf({ text: found, name }));
      from = match.index + found.length;
    }
    return Buffer.from(out.join("") + text.slice(from), "latin1");
  };
  const pass = callbackify(fill);
  return new Transform({
    // By bytes, whatever the charset of the body.
    transform(chunk: Buffer, _, done) {
      const text = held + chunk.toString("latin1");
      // The last sign of a whole placeholder may be the first one of the next.
      const end = [...text.matchAll(placeholderPattern())].reduce((_, { 0: found, index }) => index + found.length, 0);
      const open = text.slice(Math.max(end, text.length - MAX_BEGINNING));
      const [beginning = ""] = PLACEHOLDER_BEGINNING.exec(open) ?? [];
      held = beginning;
      pass(text.slice(0, text.length - beginning.length), done);
    },
    flush(done) {
      done(null, Buffer.from(held, "latin1"));
    },
  });
}
