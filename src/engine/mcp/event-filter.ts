import { classifyLine } from "./classify-line.ts";

/** What nobody listens to is short: anything longer is passed on as it comes. */
const SHORT_BYTES = 4096;
const ENDS = ["\n\n", "\r\n\r\n", "\r\r"];
const DATA = /(?:^|[\r\n])data: ?/;

type Controller = TransformStreamDefaultController<Uint8Array>;
/** What a `TransformStream` is made of. */
export interface ByteFilter {
  transform(chunk: Uint8Array, controller: Controller): void;
  flush?(controller: Controller): void;
}

/**
 * Passes a stream of server-sent events on, without the notifications that `hears` refuses: the protocol's own reading of
 * each costs many times its bytes. An event that has more than `maxBytes` ends the stream.
 */
export function eventFilter({
  hears,
  maxBytes,
}: {
  readonly hears: (method: string) => boolean;
  readonly maxBytes: number;
}): ByteFilter {
  let pending = Buffer.alloc(0);
  /** Of an event that is being passed on, and has not ended yet. */
  let passed = 0;
  return {
    transform(chunk, controller) {
      const came = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const data = pending.length === 0 ? came : Buffer.concat([pending, came]);
      const end = endFinder(data);
      let from = 0;
      for (let to = end(from); to !== -1; to = end(from)) {
        const event = data.subarray(from, to);
        if (passed > 0 || isHeard(event, hears)) controller.enqueue(event);
        passed = 0;
        from = to;
      }
      const rest = data.subarray(from);
      if (passed === 0 && rest.length <= SHORT_BYTES) {
        // A copy: a view would keep all of the chunk.
        pending = Buffer.from(rest);
        return;
      }
      pending = Buffer.alloc(0);
      passed += rest.length;
      if (passed > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
      else if (rest.length > 0) controller.enqueue(rest);
    },
    flush(controller) {
      if (pending.length > 0) controller.enqueue(pending);
    },
  };
}

/**
 * Gives the place behind the next blank line, -1 when there is none. One that is cut by the end of a passed chunk is
 * missed, which only has the next event passed on with the one before.
 */
function endFinder(data: Buffer): (from: number) => number {
  const next = ENDS.map((mark) => ({ mark, at: 0 }));
  return (from) => {
    for (const one of next) if (one.at !== -1 && one.at <= from) one.at = data.indexOf(one.mark, from);
    const found = next.filter(({ at }) => at !== -1).toSorted((one, other) => one.at - other.at)[0];
    return found === undefined ? -1 : found.at + found.mark.length;
  };
}

function isHeard(event: Buffer, hears: (method: string) => boolean): boolean {
  if (event.length > SHORT_BYTES || !event.includes('"notifications/')) return true;
  const head = event.toString("latin1", 0, 512);
  const field = DATA.exec(head);
  if (field === null) return true;
  const method = notificationIn(event.subarray(field.index + field[0].length));
  return method === null || hears(method);
}

function notificationIn(data: Buffer): string | null {
  const glance = classifyLine(data);
  if (glance.kind === "notification") return glance.method;
  if (glance.kind !== "message") return null;
  try {
    const message: unknown = JSON.parse(data.toString("utf8"));
    if (typeof message !== "object" || message === null || !("method" in message) || "id" in message) return null;
    return String(message.method);
  } catch {
    // On several lines, or none of ours: the protocol's reader judges it.
    return null;
  }
}
