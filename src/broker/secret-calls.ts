import type { IncomingMessage, ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline } from "node:stream";
import { type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { placeholdersIn } from "../contract/broker/placeholder.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HEADER,
  SECRET_HOSTS_PATH,
  SECRET_PREFIX,
  SECRET_REFUSED_HEADER,
  SECRET_TARGET_HEADER,
  decodeUrl,
} from "../contract/broker/secret-calls.ts";
import { type EngineStart, openEngineKey } from "../contract/broker/engine-key.ts";
import { EgressRefused, EgressRules, fixedLookup } from "../sandbox/proxy.ts";
import { DaemonAway, type DaemonRoad, QuestionRefused } from "./ask-daemon.ts";
import { HOP_BY_HOP } from "./call-headers.ts";
import type { CallCounts } from "./call-counts.ts";
import { fillBody } from "./fill-body.ts";
import { Misused, NoSecret, RequestFiller } from "./fill-request.ts";
import { BodyTooLong, readBody } from "./read-body.ts";
import { replaceInStream, replaceInText } from "./replace-stream.ts";
import { formsOf } from "./secret-forms.ts";
import { SecretValues } from "./secret-values.ts";

const MAX_NAMES_BYTES = 16 * 1024;
/** A connection without traffic ends after this time. */
const IDLE_MS = 300_000;
const TLS_PORT = 443;
const WORDS = { connect: "the policy field tool_network", narrowed: "the policy field tool_network" };
/** The rest of a refused request is read for this time. */
const MAX_UNREAD_MS = 1000;

interface SecretCallParts {
  readonly sealingKey: Uint8Array;
  readonly road: Pick<DaemonRoad, "ask">;
  readonly counts: Pick<CallCounts, "opened" | "closed">;
  /** Loads what calls by TLS need. */
  readonly prepareTls: () => Promise<void>;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

interface Call {
  readonly caller: EngineStart;
  readonly engineKey: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Requests of engines and their tools with the values of secrets: checks where each may go, puts the values in place of
 * their placeholders, and cuts them out of the answer. Bodies are streamed, in both directions.
 */
export class SecretCalls {
  readonly #parts: SecretCallParts;
  readonly #values: SecretValues;

  constructor(parts: SecretCallParts) {
    this.#parts = parts;
    this.#values = new SecretValues(parts.road);
  }

  /** False when it is no such call. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", headers, method } = request;
    if (!url.startsWith(SECRET_PREFIX)) return false;
    const key = headers[ENGINE_KEY_HEADER];
    const caller = typeof key === "string" ? openEngineKey(this.#parts.sealingKey, key) : null;
    if (caller === null || typeof key !== "string") {
      refuse({ request, response }, 401, "expected the key of an engine of this deployment");
      return true;
    }
    const call = { caller, engineKey: key, request, response };
    const { counts } = this.#parts;
    counts.opened();
    response.once("close", () => counts.closed());
    if (url === SECRET_CALL_PATH) this.#settle(call, this.#forward(call));
    else if (url === SECRET_HOSTS_PATH && method === "POST") this.#settle(call, this.#hosts(call));
    else refuse(call, 404, "expected a call with a secret");
    return true;
  }

  #settle(call: Call, work: Promise<void>): void {
    work.catch((error: unknown) => this.#fail(call, error));
  }

  async #hosts({ caller, request, response }: Call): Promise<void> {
    const asked = JSON.parse((await readBody(request, MAX_NAMES_BYTES)).toString("utf8")) as { names: string[] };
    const hosts = await this.#values.hosts(caller, asked.names);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ hosts }));
  }

  async #forward(call: Call): Promise<void> {
    const { caller, engineKey, request, response } = call;
    const { headers, rawHeaders } = request;
    const target = targetOf(headers[SECRET_TARGET_HEADER]);
    if (target === null) return refuse(call, 400, `${SECRET_TARGET_HEADER}: expected a URL`);
    const [phantom = null] = placeholdersIn(String(headers[SECRET_HEADER] ?? ""));
    const find = this.#values.find.bind(this.#values);
    const filler = new RequestFiller({ caller, engineKey, target, phantom, rawHeaders, find });
    const head = await filler.head();
    const [first] = filler.carried;
    if (first === undefined) return refuse(call, 400, "expected a request with the placeholder of a secret");
    await this.#parts.prepareTls();
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const rules = new EgressRules({ connect: first.secret.network, listen: [], words: WORDS });
    const addresses = await rules.addressesOf(host, target.port === "" ? TLS_PORT : Number(target.port));
    if (response.destroyed) return;
    await this.#send(call, { ...head, filler, lookup: fixedLookup(addresses) });
  }

  /** Resolves when the answer has begun. */
  #send(
    call: Call,
    {
      url,
      headers,
      filler,
      lookup,
    }: {
      readonly url: URL;
      readonly headers: readonly string[];
      readonly filler: RequestFiller;
      readonly lookup: ReturnType<typeof fixedLookup>;
    },
  ): Promise<void> {
    const { request, response } = call;
    const framing = framingOf(request, filler);
    return new Promise((resolve, reject) => {
      // A connection of its own: its address was checked for this call.
      const options = { method: request.method, headers: [...headers, ...framing], agent: false, lookup };
      const upstream = requestHttps(url, options);
      upstream.setTimeout(IDLE_MS, () => upstream.destroy(new Error("no traffic for too long")));
      upstream.on("error", reject);
      response.once("close", () => upstream.destroy());
      upstream.once("response", (answer) => {
        try {
          passOn(answer, { call, filler });
          resolve();
        } catch (error) {
          answer.destroy();
          reject(error);
        }
      });
      if (framing.length === 0) {
        upstream.end();
        return;
      }
      const filled = fillBody(filler.body);
      // Not by `pipeline`, which would end the connection before it could be answered.
      filled.once("error", (error) => {
        request.unpipe();
        this.#fail(call, error);
        upstream.destroy();
      });
      request.pipe(filled).pipe(upstream);
    });
  }

  #fail(call: Call, error: unknown): void {
    const { response, caller } = call;
    if (error instanceof Misused) this.#tell(call, error);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof Misused || error instanceof NoSecret || error instanceof EgressRefused)
      return refuse(call, 403, error.message);
    if (error instanceof QuestionRefused) return refuse(call, 403, error.message);
    if (error instanceof BodyTooLong) return refuse(call, 413, error.message);
    if (error instanceof DaemonAway) {
      response.setHeader("retry-after", "1");
      return refuse(call, 503, "secrets cannot be read at this moment; try again");
    }
    const { message, code } = error as NodeJS.ErrnoException;
    this.#parts.log({ engine_id: caller.engine, code }, "failed to send a request with a secret");
    refuse(call, 502, `the host cannot be reached: ${code ?? message}`);
  }

  #tell({ caller, request }: Call, { secret: name, misuse }: Misused): void {
    const host = targetOf(request.headers[SECRET_TARGET_HEADER])?.host ?? "";
    this.#values
      .misused(caller, { name, misuse, host })
      .catch(() => this.#parts.log({ engine_id: caller.engine, misuse }, "failed to tell of a misused secret"));
  }
}

/** The length stays as it is, unless a value takes the place of a placeholder in the body. */
function framingOf({ headers }: IncomingMessage, { changesBody }: RequestFiller): readonly string[] {
  const length = headers["content-length"];
  if (length !== undefined && !changesBody) return ["content-length", length];
  return length === undefined && headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};
/** The values have other lengths than what takes their place, and bodies are passed on decoded. */
const CHANGED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-length",
  "content-encoding",
  "content-md5",
  "digest",
]);

/** The answer as it comes, without the values, which a server may echo. Throws when it cannot be read. */
function passOn(
  answer: IncomingMessage,
  { call, filler }: { readonly call: Call; readonly filler: RequestFiller },
): void {
  const { request, response } = call;
  const { statusCode: status = 502, rawHeaders } = answer;
  const isEmpty = request.method === "HEAD" || status === 204 || status === 304;
  const encoding = (answer.headers["content-encoding"] ?? "identity").toLowerCase();
  const decoder = DECODERS[encoding];
  if (decoder === undefined && encoding !== "identity" && !isEmpty)
    throw new Error(`it answers with the unknown encoding ${encoding}`);
  const forms = formsOf(filler.carried);
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!CHANGED.has(name.toLowerCase())) headers.push(name, replaceInText(value, forms));
  }
  response.writeHead(status, replaceInText(answer.statusMessage ?? "", forms), headers);
  response.flushHeaders();
  if (isEmpty) {
    answer.resume();
    response.end();
  } else if (decoder === undefined) pipeline(answer, replaceInStream(forms), response, ended);
  else pipeline(answer, decoder(), replaceInStream(forms), response, ended);
}

/** A failure has destroyed the response: the engine sees the cut. */
const ended = (): void => undefined;

function targetOf(header: string | string[] | undefined): URL | null {
  return typeof header === "string" ? URL.parse(decodeUrl(header)) : null;
}

/** The rest of the body is read and dropped for a while, because a closed connection could lose the answer. */
function refuse({ request, response }: Pick<Call, "request" | "response">, status: number, message: string): void {
  const headers = { "content-type": "text/plain; charset=utf-8", [SECRET_REFUSED_HEADER]: "1", connection: "close" };
  response.writeHead(status, headers).end(`orchd: ${message}\n`);
  request.unpipe();
  request.resume();
  setTimeout(() => request.destroy(), MAX_UNREAD_MS).unref();
}
