import type { IncomingMessage, ServerResponse } from "node:http";
import { openEngineKey } from "../contract/broker/engine-key.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HOSTS_PATH,
  SECRET_PREFIX,
  SECRET_TARGET_HEADER,
} from "../contract/broker/secret-calls.ts";
import { EGRESS_CALL_PATH, EGRESS_PREFIX } from "../contract/broker/egress-calls.ts";
import { TOOL_CALL_PATH, TOOL_LOGIN_PATH, TOOL_PREFIX } from "../contract/broker/tool-calls.ts";
import { EgressRefused } from "../sandbox/proxy.ts";
import { DaemonAway, type DaemonRoad, QuestionRefused } from "./ask-daemon.ts";
import type { CallCounts } from "./call-counts.ts";
import type { EgressAddresses } from "./egress-addresses.ts";
import { EgressCalls } from "./egress-calls.ts";
import { LoginCalls } from "./login-calls.ts";
import { Misused, NoSecret } from "./fill-request.ts";
import { type EngineCall, type Outgoing, Refusal } from "./outgoing.ts";
import { passOn } from "./pass-on.ts";
import { refuseToolCall } from "./refuse-call.ts";
import { SecretCalls, targetOf } from "./secret-calls.ts";
import { SecretValues } from "./secret-values.ts";
import { sendOutside } from "./send-outside.ts";

const PREFIXES = [SECRET_PREFIX, TOOL_PREFIX, EGRESS_PREFIX];

interface OutgoingCallParts {
  readonly sealingKey: Uint8Array;
  readonly road: Pick<DaemonRoad, "ask">;
  readonly addresses: Pick<EgressAddresses, "of">;
  readonly counts: Pick<CallCounts, "opened" | "closed">;
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
    const { counts } = this.#parts;
    const gone = new AbortController();
    counts.opened();
    response.once("close", () => {
      gone.abort();
      counts.closed();
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
        if (next === null) return passOn(answer, call, outgoing.hidden());
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
    if (response.headersSent || response.destroyed) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    const refusal = refusalOf(error);
    if (refusal !== null) return refuseToolCall(call, refusal);
    const { message, code } = error as NodeJS.ErrnoException;
    this.#parts.log({ engine_id: caller.engine, code }, "failed to send a call of a tool");
    refuseToolCall(call, new Refusal(502, `the host cannot be reached: ${code ?? message}`));
  }

  #tell({ caller, request }: EngineCall, { secret: name, misuse }: Misused): void {
    const host = targetOf(request.headers[SECRET_TARGET_HEADER])?.host ?? "";
    this.#values
      .misused(caller, { name, misuse, host })
      .catch(() => this.#parts.log({ engine_id: caller.engine, misuse }, "failed to tell of a misused secret"));
  }
}

function respond({ response }: EngineCall, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Null for what is a failure of the host, or of this process. */
function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof DaemonAway)
    return new Refusal(503, "the daemon cannot be asked at this moment; try again", { "retry-after": "1" });
  const isRefused = [Misused, NoSecret, EgressRefused, QuestionRefused].some((kind) => error instanceof kind);
  return isRefused ? new Refusal(403, (error as Error).message) : null;
}
