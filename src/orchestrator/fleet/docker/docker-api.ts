import { type IncomingMessage, request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";

/** Docker 20.10 and newer. */
const VERSION = "/v1.41";
const TIMEOUT_MS = 30_000;

/** An error response of the Docker engine. */
export class DockerError extends Error {
  override readonly name = "DockerError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The Docker engine did not answer. */
export class DockerUnreachable extends Error {
  override readonly name = "DockerUnreachable";
}

interface Call {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Null: no timeout, and an open call does not keep the process alive. */
  readonly timeoutMs?: number | null;
  readonly signal?: AbortSignal;
}

/** The HTTP API of a Docker engine on a socket of this machine. */
export class DockerApi {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The JSON of a response, or null without a body. Throws {@link DockerError} and {@link DockerUnreachable}. */
  async call(method: "GET" | "POST" | "DELETE", path: string, call: Call = {}): Promise<unknown> {
    const body = await read(await this.#answer(method, path, call));
    return body === "" ? null : JSON.parse(body);
  }

  /** The body of a response, as a stream. */
  stream(path: string, call: Call): Promise<IncomingMessage> {
    return this.#answer("GET", path, { timeoutMs: null, ...call });
  }

  /** The standard input of a container. An open one does not keep the process alive. */
  openInput(id: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        socketPath: this.#socketPath,
        method: "POST",
        path: `${VERSION}/containers/${id}/attach?stream=1&stdin=1`,
        headers: { connection: "Upgrade", upgrade: "tcp", host: "docker" },
        timeout: TIMEOUT_MS,
      });
      request.once("upgrade", (_, socket: Socket) => {
        socket.on("error", () => socket.destroy());
        socket.setTimeout(0).unref();
        resolve(socket);
      });
      request.once("response", (answer) => {
        read(answer).then(() => reject(new DockerUnreachable("the Docker engine does not open an input")), reject);
      });
      request.once("timeout", () => request.destroy(new Error("timed out")));
      request.once("error", (error) => reject(unreachable(error)));
      request.end();
    });
  }

  async #answer(method: string, path: string, { query = {}, body, timeoutMs = TIMEOUT_MS, signal }: Call) {
    const search = new URLSearchParams(query).toString();
    const content = body === undefined ? "" : JSON.stringify(body);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        {
          socketPath: this.#socketPath,
          method,
          path: `${VERSION}${path}${search === "" ? "" : `?${search}`}`,
          headers: { host: "docker", "content-type": "application/json", "content-length": Buffer.byteLength(content) },
          agent: false,
          ...(timeoutMs !== null && { timeout: timeoutMs }),
          ...(signal !== undefined && { signal }),
        },
        resolve,
      );
      if (timeoutMs === null) request.once("socket", (socket) => socket.unref());
      request.once("timeout", () => request.destroy(new Error("timed out")));
      request.on("error", (error) => reject(unreachable(error)));
      request.end(content);
    });
    if ((answer.statusCode ?? 500) < 400) return answer;
    return read(answer).then((content) =>
      Promise.reject(new DockerError(answer.statusCode ?? 500, messageOf(content))),
    );
  }
}

const unreachable = (cause: Error): DockerUnreachable =>
  new DockerUnreachable(`the Docker engine does not answer: ${cause.message}`, { cause });

const read = (answer: IncomingMessage): Promise<string> =>
  text(answer).catch((error: unknown) => Promise.reject(unreachable(error as Error)));

function messageOf(content: string): string {
  try {
    const { message } = JSON.parse(content) as { readonly message?: unknown };
    return typeof message === "string" ? message : content;
  } catch {
    return content;
  }
}
