import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod/mini";
import { openEngineKey } from "../contract/broker/engine-key.ts";
import {
  IDENTITY_PATH,
  type IdentityCall,
  MAX_IDENTITY_BYTES,
  identityCall,
} from "../contract/broker/identity-call.ts";
import { DaemonAway, type DaemonRoad, QuestionRefused } from "./ask-daemon.ts";
import { TooManyQuestions } from "./fair-questions.ts";

/** Of one engine at the same time. */
const MAX_OPEN = 32;
const TOO_MANY = 429;

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Gives engines the tokens that say for whom they call. The daemon signs them: this process knows an engine by its key, and
 * nothing that an engine sends names another one.
 */
export class IdentityAnswers {
  readonly #sealingKey: Uint8Array;
  readonly #road: Pick<DaemonRoad, "ask">;
  /** By engine. */
  readonly #open = new Map<string, number>();

  constructor(sealingKey: Uint8Array, road: Pick<DaemonRoad, "ask">) {
    this.#sealingKey = sealingKey;
    this.#road = road;
  }

  /** False when it asks for no token. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== IDENTITY_PATH) return false;
    this.#token(request).then(
      (body) => respond(response, 200, body),
      (error: unknown) => respond(response, statusOf(error), { error: messageOf(error) }),
    );
    return true;
  }

  async #token(request: IncomingMessage): Promise<object> {
    if (request.method !== "POST") throw new Refused(405, "expected POST");
    const key = request.headers.authorization?.replace(/^Bearer /i, "") ?? "";
    const start = openEngineKey(this.#sealingKey, key);
    if (start === null) throw new Refused(401, "expected the key of an engine of this deployment");
    const open = this.#open.get(start.engine) ?? 0;
    if (open >= MAX_OPEN) throw new Refused(TOO_MANY, `an engine may ask for ${MAX_OPEN} tokens at once`);
    this.#open.set(start.engine, open + 1);
    try {
      return await this.#road.ask("identity", { ...start, ...(await callIn(request)) });
    } finally {
      const left = (this.#open.get(start.engine) ?? 1) - 1;
      if (left === 0) this.#open.delete(start.engine);
      else this.#open.set(start.engine, left);
    }
  }
}

async function callIn(request: IncomingMessage): Promise<IdentityCall> {
  let text = "";
  for await (const part of request.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > MAX_IDENTITY_BYTES) throw new Refused(413, "the request is too long");
  }
  const read = z.safeParse(identityCall, jsonIn(text));
  if (!read.success) throw new Refused(400, "expected an audience and an agent");
  return read.data;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function respond(response: ServerResponse, status: number, body: object): void {
  // What is left of a refused request is not read.
  const connection = status < 300 ? {} : { connection: "close" };
  const retry = status === TOO_MANY ? { "retry-after": "1" } : {};
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...connection,
    ...retry,
  });
  response.end(JSON.stringify(body));
}

function statusOf(error: unknown): number {
  if (error instanceof Refused || error instanceof QuestionRefused) return error.status;
  if (error instanceof TooManyQuestions) return TOO_MANY;
  return error instanceof DaemonAway ? 503 : 500;
}

const messageOf = (error: unknown): string =>
  [Refused, QuestionRefused, DaemonAway, TooManyQuestions].some((kind) => error instanceof kind)
    ? (error as Error).message
    : "the broker failed";
