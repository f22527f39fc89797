import type { IncomingMessage } from "node:http";
import { Refusal } from "./outgoing.ts";
import { readWhole } from "./read-whole.ts";

/** The whole body of a request. Rejects with {@link Refusal} when it is longer. */
export async function readBounded(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const body = await readWhole(request, maxBytes);
  if (body === null) throw new Refusal(413, `expected at most ${maxBytes} bytes`);
  return body;
}

/** The object of a request's body. Rejects with {@link Refusal} when it is none. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<object> {
  const text = (await readBounded(request, maxBytes)).toString("utf8");
  const read = parsed(text);
  if (typeof read !== "object" || read === null) throw new Refusal(400, "expected a JSON object");
  return read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
