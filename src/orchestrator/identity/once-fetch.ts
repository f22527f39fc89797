import type { CustomFetch } from "openid-client";
import type { OnceAnswer } from "../../contract/broker/once-call.ts";
import { type OutsideFetch, responseOf, textOf } from "./outside-fetch.ts";
import { SignInFailure } from "./sign-in-failure.ts";

/** What is sent by whoever keeps its answer. */
export interface SentForm {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface OnceFetchOptions {
  /** The address whose answer must not be lost. Others are called by `plain`. */
  readonly endpoint: string;
  readonly send: (form: SentForm) => Promise<OnceAnswer>;
  readonly plain: OutsideFetch;
}

/** `fetch` whose request to one address is sent by another process, which keeps the answer when this one ends. */
export const onceFetch =
  ({ endpoint, send, plain }: OnceFetchOptions): CustomFetch =>
  async (url, options) => {
    if (url !== endpoint || options.method !== "POST") return plain(url, options);
    const { host } = new URL(url);
    const answer = await send({ url, headers: options.headers, body: textOf(options.body) });
    if (answer.kind === "stored") throw new SignInFailure("unreachable", `${host}: another daemon has its answer`);
    if (answer.kind === "failed") throw new SignInFailure("unreachable", `${host}: ${answer.reason}`);
    return responseOf(host, { ...answer, body: Buffer.from(answer.body, "base64") });
  };
