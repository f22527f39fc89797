import { type IncomingMessage, request as requestHttp } from "node:http";
import { placeholdersIn } from "../../contract/broker/placeholder.ts";
import { HOP_BY_HOP, type ProxiedRequest } from "../../sandbox/proxy.ts";
import { type PhantomTarget, phantomLocation, phantomTarget, withTargets } from "./phantom-address.ts";
import type { ToolSecrets } from "./tool-secrets.ts";

/** Whether a plain request carries a placeholder. The broker then refuses it, and tells of it. */
const carriesPlaceholder = ({ url = "", rawHeaders }: Pick<IncomingMessage, "url" | "rawHeaders">): boolean =>
  url.includes("orchsec_") || rawHeaders.some((text) => placeholdersIn(decodedBasic(text)).length > 0);

const decodedBasic = (text: string): string => {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(text) ?? [];
  return encoded === undefined ? text : Buffer.from(encoded, "base64").toString("latin1");
};

/** Sends requests for hosts of secrets to the broker, and its answers back. */
export class PhantomCalls {
  readonly #secrets: ToolSecrets;

  constructor(secrets: ToolSecrets) {
    this.#secrets = secrets;
  }

  /** Whether it is a request for a secret's address, or one to another host that carries a placeholder. */
  takeOver = (proxied: ProxiedRequest): boolean => {
    if (proxied.target !== null && !carriesPlaceholder(proxied.request)) return false;
    this.#handle(proxied);
    return true;
  };

  #handle({ request, response, target, path, port }: ProxiedRequest): void {
    const phantom: PhantomTarget | null = target === null ? phantomTarget(path) : null;
    const url = target ?? phantom?.url ?? null;
    if (url === null) {
      request.resume();
      response.writeHead(404, { "content-type": "text/plain" }).end("orchd: expected /s/<placeholder>/<host>/…\n");
      return;
    }
    const { url: broker, headers } = this.#secrets.route(url, phantom?.placeholder ?? null);
    const own = Object.entries(headers).flat();
    const sent = requestHttp(broker, {
      method: request.method,
      headers: [
        ...endToEnd(request.rawHeaders).map((text) => withTargets(text, port)),
        ...framingOf(request),
        ...own,
        "host",
        broker.host,
      ],
      agent: false,
    });
    sent.once("response", (answer) => {
      const passed = endToEnd(answer.rawHeaders).map((text, at, all) =>
        phantom !== null && at % 2 === 1 && all[at - 1]?.toLowerCase() === "location"
          ? phantomLocation(text, phantom, port)
          : text,
      );
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passed);
      response.flushHeaders();
      answer.pipe(response);
      // The program must not take a part for the whole.
      answer.once("error", () => response.destroy());
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      else
        response
          .writeHead(502, { "content-type": "text/plain" })
          .end(`orchd: the broker cannot be reached (${error.code})\n`);
    });
    response.once("close", () => sent.destroy());
    request.pipe(sent);
  }
}

const DROPPED: ReadonlySet<string> = new Set([...HOP_BY_HOP, "host", "expect", "content-length"]);

function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const key = name.toLowerCase();
    // Of this connection, or of the program's own making.
    if (!DROPPED.has(key) && !key.startsWith("x-orchd-")) kept.push(name, value);
  }
  return kept;
}

function framingOf({ headers }: IncomingMessage): readonly string[] {
  const length = headers["content-length"];
  if (length !== undefined) return ["content-length", length];
  return headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
}
