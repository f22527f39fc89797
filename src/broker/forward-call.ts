import {
  type ClientRequest,
  Agent,
  type IncomingMessage,
  type ServerResponse,
  request as requestHttp,
} from "node:http";
import { Agent as TlsAgent, request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";
import { type ModelRoute, openCallKey } from "../contract/broker/call-key.ts";
import { BUDGETED_HEADER, PROBLEM_HEADER, REFUSAL_HEADER, encodeProblem } from "../contract/broker/problem.ts";
import { DaemonAway, QuestionRefused } from "./ask-daemon.ts";
import { type CallBudgets, Reservation } from "./call-budget.ts";
import { type CallCounts, outcomeOf } from "./call-counts.ts";
import { headersToPassOn, headersToSend, presentedKey, withoutLength } from "./call-headers.ts";
import type { EngineStandings } from "./engine-standing.ts";
import { errorBodyOf } from "./error-body.ts";
import type { KeyCall } from "./key-cooldowns.ts";
import { TooManyQuestions } from "./fair-questions.ts";
import { KeyLimits } from "./key-limits.ts";
import { limitAnswer } from "./limit-answer.ts";
import type { OpenCalls } from "./open-calls.ts";
import { PROVIDER_RULES, addressOf, modelIn, yieldsText } from "./provider-rules.ts";
import { readWhole } from "./read-whole.ts";
import { endUnread, refuseCall } from "./refuse-call.ts";
import { CALL_FIELDS, boundsOf } from "./request-body.ts";
import { readAccessKey, signRequest } from "./sign-request.ts";
import { TopLevelFields } from "./top-level-fields.ts";

/** Opened keys that are remembered, so that a call costs no decryption. */
const MAX_KEYS = 4096;
/** An idle connection is closed before most providers close it: a call on a closed one would fail. */
const IDLE = { keepAlive: true, maxFreeSockets: 256, timeout: 30_000 } as const;
/** A signature covers the whole body, and a reservation depends on it: it is read first. */
const MAX_READ_BYTES = 64 * 1024 ** 2;
/** When an engine with too many calls may try again. */
const RETRY_MS = 1000;
/** A longer name is none of a model. */
const MAX_MODEL_LENGTH = 256;

export interface ForwarderParts {
  readonly sealingKey: Uint8Array;
  readonly counts: CallCounts;
  readonly standings: Pick<EngineStandings, "of">;
  readonly budgets: Pick<CallBudgets, "reserve">;
  readonly open: Pick<OpenCalls, "enter" | "problem">;
  /** Loads what calls by TLS need. Rejects when it cannot be used. */
  readonly prepareTls: () => Promise<void>;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

interface Call {
  readonly route: ModelRoute;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Reads the request as it passes. */
  readonly fields: TopLevelFields;
  /** For the provider's cooldowns. Null before the call may be sent. */
  admitted: KeyCall | null;
  /** Null where no budget binds the engine. */
  reservation: Reservation | null;
}

/**
 * Forwards model calls: checks the engine's key, puts the provider's in its place and streams the bytes unchanged, without
 * a buffer. It does not repeat a call: that is the engine's, whose retry sees what a provider sends. Of the answers to
 * engines with budgets it reads the provider's count of tokens.
 */
export class CallForwarder {
  readonly #parts: ForwarderParts;
  readonly #routes = new Map<string, ModelRoute>();
  readonly #limits: KeyLimits;
  readonly #agents = { "http:": new Agent(IDLE), "https:": new TlsAgent(IDLE) };

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
    this.#limits = new KeyLimits(parts.counts);
  }

  forward(request: IncomingMessage, response: ServerResponse): void {
    const { counts } = this.#parts;
    const key = presentedKey(request);
    const route = key === null ? null : this.#routeOf(key);
    if (route === null) {
      counts.count("unknown", "unauthorized");
      return refuseCall({ request, response }, 401, "expected the key of an engine of this deployment");
    }
    const url = request.method === "POST" ? addressOf(route, request.url ?? "") : null;
    if (url === null) {
      counts.count(route.provider, "refused");
      return refuseCall({ request, response }, 404, "expected the address of a model call");
    }
    const { open } = this.#parts;
    if (!open.enter(route.engine, response)) return this.#tooMany({ route, request, response }, open.problem);
    counts.opened();
    response.once("close", () => counts.closed());
    const fields = new TopLevelFields(CALL_FIELDS);
    const call: Call = { route, url, request, response, fields, admitted: null, reservation: null };
    this.#send(call).catch((error: unknown) => this.#fail(call, error));
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #routeOf(key: string): ModelRoute | null {
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    const route = openCallKey(this.#parts.sealingKey, key);
    if (route === null) return null;
    const oldest = this.#routes.size < MAX_KEYS ? undefined : this.#routes.keys().next().value;
    if (oldest !== undefined) this.#routes.delete(oldest);
    this.#routes.set(key, route);
    return route;
  }

  async #send(call: Call): Promise<void> {
    const { route, url, request } = call;
    const isBudgeted = request.headers[BUDGETED_HEADER] !== undefined;
    const known = await this.#parts.standings.of(route);
    const standing = isBudgeted && !known.has_budgets ? await this.#parts.standings.of(route, true) : known;
    if (!standing.is_current) {
      this.#parts.counts.count(route.provider, "unauthorized");
      return refuseCall(call, 401, "the engine has stopped since it got this key");
    }
    if (url.protocol === "https:") await this.#parts.prepareTls();
    const accessKey = route.provider === "bedrock" && route.apiKey !== null ? readAccessKey(route.apiKey) : null;
    const isSigned = accessKey !== null;
    const isRead = isSigned || standing.has_budgets || this.#limits.concerns(route);
    const headers = headersToSend(request, {
      isOwnServer: route.baseUrl !== null,
      isSigned,
      isRead: standing.has_budgets,
    });
    headers.push("host", url.host);
    if (!isSigned) for (const header of keyHeaders(route)) headers.push(...header);
    if (!isRead) {
      if (await this.#admit(call))
        request.on("data", (chunk: Buffer) => call.fields.see(chunk)).pipe(this.#open(call, headers));
      return;
    }
    const body = await readWhole(request, MAX_READ_BYTES);
    if (body === null) return refuseCall(call, 413, "the request is too long");
    call.fields.see(body);
    if (!(await this.#admit(call))) return;
    if (standing.has_budgets && !(await this.#reserve(call, body))) return;
    if (!isSigned) {
      this.#open(call, headers).end(body);
      return;
    }
    const signature = signRequest(accessKey, { url, body, region: route.region, now: Date.now() });
    for (const header of signature) headers.push(...header);
    headers.push("content-length", String(body.length));
    this.#open(call, headers).end(body);
  }

  /** False when the call was refused. */
  async #admit(call: Call): Promise<boolean> {
    call.admitted = await this.#limits.admit(call, () => modelOf(call));
    return call.admitted !== null;
  }

  /** False when the call was refused. */
  async #reserve(call: Call, body: Buffer): Promise<boolean> {
    const { route, request, response, fields } = call;
    const bounds = fields.fields === null ? null : boundsOf(fields.fields, body.length);
    const model = modelOf(call);
    if (bounds === null || model === null) {
      refuseCall(call, 400, "expected a JSON object with each field once, a model, and no field that hides its cost");
      return false;
    }
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const output = yieldsText(request.url ?? "") ? bounds.output : 0;
    const outcome = await this.#parts.budgets.reserve(route, { ...bounds, model, output }, gone.signal);
    if (outcome instanceof Reservation) {
      call.reservation = outcome;
      // The engine may have gone meanwhile.
      if (response.closed) outcome.end();
      else response.once("close", () => outcome.end());
      return !response.closed;
    }
    this.#parts.counts.count(route.provider, "over_budget");
    const retryAfter = outcome.details["retry_after"];
    response.writeHead(429, {
      [REFUSAL_HEADER]: encodeProblem(outcome),
      "content-type": "application/json",
      ...(typeof retryAfter === "number" && { "retry-after": String(retryAfter) }),
    });
    response.end(JSON.stringify({ error: { type: "budget_exceeded", message: outcome.message } }));
    return false;
  }

  #open(call: Call, headers: readonly string[]): ClientRequest {
    const { url, response, route } = call;
    const isTls = url.protocol === "https:";
    const options = { method: "POST", headers, agent: this.#agents[isTls ? "https:" : "http:"] };
    const upstream = isTls ? requestHttps(url, options) : requestHttp(url, options);
    upstream.setNoDelay(true);
    upstream.on("error", (error) => this.#fail(call, error));
    // Without a listener, Node.js leaves the call without an answer.
    upstream.once("upgrade", (_, socket: Duplex) => {
      socket.destroy();
      this.#fail(call, new Error("the provider switches to another protocol"));
    });
    upstream.once("response", (answer) => {
      this.#answer(call, answer).catch((error: unknown) => this.#fail(call, error));
    });
    // The engine has what it wanted, has gone, or waited long enough.
    response.once("close", () => {
      if (response.writableFinished) return;
      this.#parts.counts.count(route.provider, "cut");
      upstream.destroy();
    });
    return upstream;
  }

  async #answer(call: Call, answer: IncomingMessage): Promise<void> {
    const { route, url, response } = call;
    const status = answer.statusCode ?? 502;
    const isRedirect = status >= 300 && status < 400;
    this.#parts.counts.count(route.provider, isRedirect ? "refused" : outcomeOf(status));
    // A call is not repeated at an address that nobody configured.
    if (isRedirect) {
      answer.destroy();
      return refuseCall(call, 502, `${url.host} redirects; set the address that it redirects to`);
    }
    const headers = headersToPassOn(answer.rawHeaders, route.apiKey);
    if (status >= 400 && route.apiKey !== null) {
      const body = await errorBodyOf(answer, route.apiKey);
      this.#saw(call, answer, body.toString("latin1"));
      response.writeHead(status, withoutLength(headers)).end(body);
      return;
    }
    this.#saw(call, answer);
    const { reservation } = call;
    if (reservation !== null && status < 400) {
      reservation.answered();
      answer.on("data", (chunk: Buffer) => reservation.see(chunk));
      answer.once("end", () => reservation.whole());
    }
    response.writeHead(status, answer.statusMessage, headers);
    response.flushHeaders();
    // Of a stream that its provider cuts, the engine sees the cut.
    answer.once("error", () => response.destroy());
    answer.pipe(response);
  }

  /** In the provider's form, so that the engine tries again. */
  #tooMany({ route, ...call }: Pick<Call, "route" | "request" | "response">, message: string): void {
    this.#parts.counts.count(route.provider, "too_many");
    endUnread(call, { status: 429, ...limitAnswer(route.provider, { status: 429, retryAfterMs: RETRY_MS, message }) });
  }

  #saw({ admitted }: Call, answer: IncomingMessage, body = ""): void {
    if (admitted !== null) this.#limits.saw(admitted, answer, body);
  }

  #fail({ route, url, request, response }: Call, error: unknown): void {
    if (response.destroyed || response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof TooManyQuestions) return this.#tooMany({ route, request, response }, error.message);
    if (error instanceof DaemonAway || error instanceof QuestionRefused) {
      this.#parts.counts.count(route.provider, "unchecked");
      this.#parts.log({ engine_id: route.engine, reason: error.message }, "failed to ask the daemon about a call");
      response.setHeader("retry-after", "1");
      return refuseCall({ request, response }, 503, "the daemon of this engine does not answer");
    }
    const { name, message, code, syscall, address, port } = error as NodeJS.ErrnoException & {
      readonly address?: string;
      readonly port?: number;
    };
    this.#parts.counts.count(route.provider, "unreachable");
    this.#parts.log(
      { provider: route.provider, host: url.host, engine_id: route.engine, code },
      "failed to call a provider",
    );
    const problem = { name, message, code, syscall, address, port, host: url.host };
    response.writeHead(502, { [PROBLEM_HEADER]: encodeProblem(problem), "content-type": "application/json" });
    request.unpipe();
    request.resume();
    response.end(JSON.stringify({ error: { type: "unreachable", message: "the provider cannot be reached" } }));
  }
}

const keyHeaders = ({ provider, apiKey }: ModelRoute): readonly (readonly [string, string])[] =>
  apiKey === null ? [] : PROVIDER_RULES[provider].headers(apiKey);

/** Null while it is not certain. */
function modelOf({ route, request, fields }: Call): string | null {
  const model = modelIn(route.provider, request.url ?? "") ?? fields.fields?.get("model");
  return typeof model === "string" && model.length <= MAX_MODEL_LENGTH ? model : null;
}
