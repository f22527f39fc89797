import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { CONTROL_HEADER } from "../../../contract/broker/broker-order.ts";
import { type OnceAnswer, type OnceCall, ONCE_PATH, ONCE_STORED_PATH } from "../../../contract/broker/once-call.ts";
import { errorCode } from "../../../shared/error-code.ts";

/** The broker takes a call and answers it later. */
const STORED_MS = 2000;

/** Calls that the broker sends once, and whose answers outlive this daemon. Neither method rejects. */
export interface OnceRoad {
  /** `timeoutMs`: how long this daemon waits. The call itself goes on, and its answer is there when it is asked for again. */
  send(call: OnceCall, timeoutMs: number): Promise<OnceAnswer>;
  /** The answer is stored: the broker may forget it. */
  stored(id: string): Promise<void>;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export function onceRoad(target: Target): OnceRoad {
  return {
    send: async (call, timeoutMs) => {
      try {
        return (await post(target, { path: ONCE_PATH, body: call, timeoutMs })) as OnceAnswer;
      } catch (error) {
        return { kind: "failed", reason: `the broker did not answer: ${errorCode(error) || "ETIMEDOUT"}` };
      }
    },
    // Best effort: an answer that is kept longer is given to nobody who does not need it.
    stored: async (id) =>
      post(target, { path: ONCE_STORED_PATH, body: { id }, timeoutMs: STORED_MS }).then(
        () => undefined,
        () => undefined,
      ),
  };
}

async function post(
  { host, port, token }: Target,
  { path, body, timeoutMs }: { readonly path: string; readonly body: object; readonly timeoutMs: number },
): Promise<unknown> {
  const text = JSON.stringify(body);
  const headers = {
    [CONTROL_HEADER]: token,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await new Promise<string>((resolve, reject) => {
    const call = request({ host, port, path, method: "POST", headers, agent: false, signal });
    call.on("error", reject);
    call.once("response", (response) => {
      buffer(response).then((bytes) => {
        if (response.statusCode === 200) resolve(bytes.toString("utf8"));
        else reject(Object.assign(new Error("refused"), { code: `status ${response.statusCode}` }));
      }, reject);
    });
    call.end(text);
  });
  return JSON.parse(answer);
}
