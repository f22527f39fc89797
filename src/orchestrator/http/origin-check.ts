import type { IncomingMessage } from "node:http";
import { hostProblem, isFromAnotherSite } from "../../shared/http/local-caller.ts";

/** Checks `Host` and `Origin` of requests against the daemon's own names: its listen address and its public URL. */
export class OriginCheck {
  readonly #listenHost: string;
  readonly #publicUrl: URL | null;

  constructor({ host, publicUrl }: { readonly host: string; readonly publicUrl: string | null }) {
    this.#listenHost = host;
    this.#publicUrl = publicUrl === null ? null : new URL(publicUrl);
  }

  /** Whether browsers use the daemon by HTTPS only. */
  get isSecure(): boolean {
    return this.#publicUrl?.protocol === "https:";
  }

  /** The daemon's address for the client of a call, without a slash at its end. */
  addressFor({ headers }: IncomingMessage): string {
    return this.#publicUrl?.href.replace(/\/$/, "") ?? `http://${headers.host ?? ""}`;
  }

  /** Why a call is refused for its `Host`, or null. Protects against DNS rebinding. */
  hostProblem(request: IncomingMessage): string | null {
    const problem = hostProblem(request, this.#listenHost);
    if (problem === null || this.#publicUrl === null) return problem;
    return hostProblem(request, this.#publicUrl.hostname);
  }

  /** Why a call with a session cookie is refused, or null. Protects against CSRF. */
  pageProblem(request: IncomingMessage): string | null {
    const problem = this.hostProblem(request);
    if (problem !== null) return problem;
    const { origin, "sec-fetch-site": site } = request.headers;
    // A proxy may replace the `Host` that the browser sent.
    const isPublic = origin !== undefined && origin === this.#publicUrl?.origin;
    const isSame = isPublic ? site === undefined || site === "same-origin" : !isFromAnotherSite(request);
    if (!isSame) return "Origin: expected a page of this daemon";
    const changes = request.method !== "GET" && request.method !== "HEAD";
    return changes && origin === undefined ? "Origin: expected the daemon's, which browsers send" : null;
  }
}
