import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { fixedLookup } from "../sandbox/proxy.ts";
import { fillBody } from "./fill-body.ts";
import type { EngineCall, Outgoing } from "./outgoing.ts";

/** A connection without traffic ends after this time. */
const IDLE_MS = 300_000;

/**
 * Sends a request on a connection of its own, whose address was checked for it. Resolves when the answer has begun. `cut`
 * hears of a body that may not be sent after that.
 */
export function sendOutside(
  { request, signal }: Pick<EngineCall, "request" | "signal">,
  { url, headers, addresses, body }: Outgoing,
  cut: (error: unknown) => void,
): Promise<IncomingMessage> {
  const framing = framingOf(request, body);
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = { method: request.method, headers: [...headers, ...framing], agent: false, signal };
    const sent = send(url, { ...options, lookup: fixedLookup(addresses) });
    sent.setTimeout(IDLE_MS, () => sent.destroy(new Error("no traffic for too long")));
    // `on`: a second error without a listener would end the process.
    sent.on("error", reject);
    // Without a listener, Node.js leaves the request without an answer.
    sent.once("upgrade", (_, socket: Duplex) => {
      socket.destroy();
      reject(new Error("it switches to another protocol"));
    });
    let hasAnswer = false;
    sent.once("response", (answer) => {
      hasAnswer = true;
      resolve(answer);
    });
    if (body.kind === "whole") sent.end(body.bytes ?? undefined);
    else if (framing.length === 0) sent.end();
    else if (body.kind === "unread") request.pipe(sent);
    else fill(request, sent, { valueOf: body.valueOf, cut: (error) => (hasAnswer ? cut(error) : reject(error)) });
  });
}

/** Not by `pipeline`, which would end the connection before it could be answered. */
function fill(
  request: IncomingMessage,
  sent: ClientRequest,
  { valueOf, cut }: { readonly valueOf: Parameters<typeof fillBody>[0]; readonly cut: (error: unknown) => void },
): void {
  const filled = fillBody(valueOf);
  filled.once("error", (error) => {
    request.unpipe();
    cut(error);
    sent.destroy();
  });
  request.pipe(filled).pipe(sent);
}

/** The length stays as it is, unless a value takes the place of a placeholder in the body. */
function framingOf({ headers }: IncomingMessage, body: Outgoing["body"]): readonly string[] {
  if (body.kind === "whole") return body.bytes === null ? [] : ["content-length", String(body.bytes.length)];
  const length = headers["content-length"];
  if (length !== undefined && (body.kind === "unread" || body.keepsLength)) return ["content-length", length];
  return length === undefined && headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
}
