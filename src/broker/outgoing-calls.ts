import type { IncomingMessage, ServerResponse } from "node:http";
import type { ToolCallOutcome } from "../contract/broker/broker-order.ts";
import { openEngineKey } from "../contract/broker/engine-key.ts";
import type { Forgotten } from "../contract/broker/forget.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HOSTS_PATH,
  SECRET_PREFIX,
  SECRET_TARGET_HEADER,
} from "../contract/broker/secret-calls.ts";
import { EGRESS_CALL_PATH, EGRESS_PREFIX } from "../contract/broker/egress-calls.ts";
import { TOOL_CALL_PATH, TOOL_LOGIN_PATH, TOOL_PREFIX } from "../contract/broker/tool-calls.ts";
import type { DaemonRoad } from "./ask-daemon.ts";
import { type CallCounts, outcomeOf } from "./call-counts.ts";
import type { EgressAddresses } from "./egress-addresses.ts";
import { EgressCalls } from "./egress-calls.ts";
import { LoginCalls } from "./login-calls.ts";
import { Misused } from "./fill-request.ts";
import type { OpenCalls } from "./open-calls.ts";
import { type EngineCall, type Outgoing, Refusal } from "./outgoing.ts";
import { passOn } from "./pass-on.ts";
import { refuseToolCall } from "./refuse-call.ts";
import { SecretCalls, targetOf } from "./secret-calls.ts";
import { SecretValues } from "./secret-values.ts";
import { sendOutside } from "./send-outside.ts";
import { RETRY_SOON, refusedBy } from "./tool-refusals.ts";

const PREFIXES = [SECRET_PREFIX, TOOL_PREFIX, EGRESS_PREFIX];

interface OutgoingCallParts {
  readonly sealingKey: Uint8Array;
  readonly road: Pick<DaemonRoad, "ask">;
  readonly addresses: Pick<EgressAddresses, "of">;
  readonly counts: Pick<CallCounts, "opened" | "closed" | "countToolCall" | "countMisuse">;
  readonly open: Pick<OpenCalls, "enter" | "problem">;
  /** Loads what calls by TLS need. */
  readonly prepareTls: () => Promise<void>;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/**
 * The one road of tools out of this process: requests of engines and their tools to hosts, with what engines never have.
 * {@link SecretCalls} puts in values of secrets, {@link LoginCalls} tokens of users, {@link EgressCalls} nothing. Here each is
 * authenticated, sent, and its answer cleaned.
 */
export class OutgoingCalls {
  readonly #parts: OutgoingCallParts;
  readonly #values: SecretValues;
  readonly #secrets: SecretCalls;
  readonly #logins: LoginCalls;
  readonly #egress: EgressCalls;

  constructor(parts: OutgoingCallParts) {
    this.#parts = parts;
    this.#values = new SecretValues(parts.road);
    this.#secrets = new SecretCalls(this.#values);
    this.#logins = new LoginCalls(parts.road);
    this.#egress = new EgressCalls(parts.addresses);
  }

  get values(): Pick<SecretValues, "find"> {
    return this.#values;
  }

  forget(forgotten: Forgotten): void {
    this.#values.forget(forgotten);
    this.#logins.forget(forgotten);
  }

  /** False when it is no such call. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", headers } = request;
    if (!PREFIXES.some((prefix) => url.startsWith(prefix))) return false;
    const engineKey = headers[ENGINE_KEY_HEADER];
    const caller = typeof engineKey === "string" ? openEngineKey(this.#parts.sealingKey, engineKey) : null;
    if (caller === null || typeof engineKey !== "string") {
      refuseToolCall({ request, response }, new Refusal(401, "expected the key of an engine of this deployment"));
      return true;
    }
    const { counts, open } = this.#parts;
    if (!open.enter(caller.engine, response)) {
      this.#count(request, "too_many");
      refuseToolCall({ request, response }, new Refusal(429, open.problem, RETRY_SOON));
      return true;
    }
    const gone = new AbortController();
    counts.opened();
    response.once("close", () => {
      gone.abort();
      counts.closed();
      if (!response.writableFinished) this.#count(request, "cut");
    });
    const call = { caller, engineKey, request, response, signal: gone.signal };
    this.#handle(call).catch((error: unknown) => this.#fail(call, error));
    return true;
  }

  async #handle(call: EngineCall): Promise<void> {
    const { url, method } = call.request;
    if (url === SECRET_CALL_PATH) return this.#forward(call, await this.#secrets.prepare(call));
    if (url === EGRESS_CALL_PATH) return this.#forward(call, await this.#egress.prepare(call));
    if (url === TOOL_CALL_PATH) return this.#forward(call, await this.#logins.prepare(call));
    if (url === SECRET_HOSTS_PATH && method === "POST") return respond(call, await this.#secrets.hosts(call));
    if (url === TOOL_LOGIN_PATH && method === "POST") return respond(call, await this.#logins.link(call));
    throw new Refusal(404, "expected a call of a tool");
  }

  /** Resolves when an answer has begun to be passed on. */
  async #forward(call: EngineCall, first: Outgoing): Promise<void> {
    for (let outgoing = first; !call.response.destroyed;) {
      if (outgoing.url.protocol === "https:") await this.#parts.prepareTls();
      const answer = await sendOutside(call, outgoing, (error) => this.#fail(call, error));
      try {
        const next = (await outgoing.instead?.(answer)) ?? null;
        if (next === null) {
          passOn(answer, call, outgoing.hidden());
          return this.#count(call.request, outcomeOf(answer.statusCode ?? 502));
        }
        outgoing = next;
        answer.destroy();
      } catch (error) {
        answer.destroy();
        throw error;
      }
    }
  }

  #fail(call: EngineCall, error: unknown): void {
    const { response, caller } = call;
    if (error instanceof Misused) this.#tell(call, error);
    const { outcome, refusal } = refusedBy(error);
    // The engine has gone, which counts as a call that was cut.
    if (!response.destroyed) this.#count(call.request, outcome);
    if (response.headersSent || response.destroyed) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (refusal !== null) return refuseToolCall(call, refusal);
    const { message, code } = error as NodeJS.ErrnoException;
    this.#parts.log({ engine_id: caller.engine, code }, "failed to send a call of a tool");
    refuseToolCall(call, new Refusal(502, `the host cannot be reached: ${code ?? message}`));
  }

  /** Only what goes outside. */
  #count({ url }: IncomingMessage, outcome: ToolCallOutcome): void {
    if (url === SECRET_CALL_PATH) this.#parts.counts.countToolCall("secret", outcome);
    if (url === TOOL_CALL_PATH) this.#parts.counts.countToolCall("login", outcome);
    if (url === EGRESS_CALL_PATH) this.#parts.counts.countToolCall("egress", outcome);
  }

  #tell({ caller, request }: EngineCall, { secret: name, misuse }: Misused): void {
    this.#parts.counts.countMisuse(misuse);
    const host = targetOf(request.headers[SECRET_TARGET_HEADER])?.host ?? "";
    this.#values
      .misused(caller, { name, misuse, host })
      .catch(() => this.#parts.log({ engine_id: caller.engine, misuse }, "failed to tell of a misused secret"));
  }
}

function respond({ response }: EngineCall, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
