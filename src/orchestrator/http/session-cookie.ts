import type { IncomingHttpHeaders } from "node:http";
import { SESSION_LIMITS } from "../../contract/console/session-limits.ts";
import type { HostContext } from "../host-context.ts";
import type { OriginCheck } from "./origin-check.ts";

/** The cookie that holds the token of a session. */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor({ box }: Pick<HostContext, "box">, { isSecure }: Pick<OriginCheck, "isSecure">) {
    // Browsers send a cookie to every port of a host, so each deployment has its own cookie name.
    const deployment = box.token("session cookie").slice(0, 8);
    // The `__Host-` prefix makes browsers refuse cookies set by other subdomains.
    this.#name = `${isSecure ? "__Host-" : ""}orchd_session_${deployment}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  }

  read({ cookie = "" }: IncomingHttpHeaders): string | null {
    const start = `${this.#name}=`;
    const found = cookie.split("; ").find((pair) => pair.startsWith(start));
    return found?.slice(start.length) ?? null;
  }

  /** `Set-Cookie` of a new session. */
  of(token: string): string {
    return `${this.#name}=${token}; Max-Age=${SESSION_LIMITS.lifetimeS}; ${this.#attributes}`;
  }

  /** `Set-Cookie` that removes it. */
  get removal(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}
