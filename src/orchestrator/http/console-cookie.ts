import type { IncomingHttpHeaders } from "node:http";
import { SESSION_LIMITS } from "../../contract/console/session-limits.ts";
import type { HostContext } from "../host-context.ts";
import type { OriginCheck } from "./origin-check.ts";

/** A person may read the page before, and signs in within ten minutes. */
const LOGIN_S = 3600;

type Parts = readonly [host: Pick<HostContext, "box">, site: Pick<OriginCheck, "isSecure">];

interface CookieOptions {
  readonly name: string;
  readonly sameSite: "Strict" | "Lax";
  readonly lifetimeS: number;
}

/** A cookie of this deployment that scripts cannot read. */
export class ConsoleCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #lifetimeS: number;

  constructor([{ box }, { isSecure }]: Parts, { name, sameSite, lifetimeS }: CookieOptions) {
    // Browsers send a cookie to every port of a host, so each deployment has its own cookie name.
    const deployment = box.token("session cookie").slice(0, 8);
    // The `__Host-` prefix makes browsers refuse cookies set by other subdomains.
    this.#name = `${isSecure ? "__Host-" : ""}orchd_${name}_${deployment}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
    this.#lifetimeS = lifetimeS;
  }

  read({ cookie = "" }: IncomingHttpHeaders): string | null {
    const start = `${this.#name}=`;
    const found = cookie.split("; ").find((pair) => pair.startsWith(start));
    return found?.slice(start.length) ?? null;
  }

  /** `Set-Cookie` with this value. */
  of(value: string): string {
    return `${this.#name}=${value}; Max-Age=${this.#lifetimeS}; ${this.#attributes}`;
  }

  /** `Set-Cookie` that removes it. */
  get removal(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}

/** The cookie that holds the token of a session. */
export const sessionCookie = (...parts: Parts): ConsoleCookie =>
  new ConsoleCookie(parts, { name: "session", sameSite: "Strict", lifetimeS: SESSION_LIMITS.lifetimeS });

/** The cookie that binds a login at a tool server to the browser that began it. */
export const loginCookie = (...parts: Parts): ConsoleCookie =>
  new ConsoleCookie(parts, { name: "login", sameSite: "Lax", lifetimeS: LOGIN_S });

/** The cookie that holds a sign-in until the identity provider sends the browser back, which is another site. */
export const signInCookie = (...parts: Parts): ConsoleCookie =>
  new ConsoleCookie(parts, { name: "sign_in", sameSite: "Lax", lifetimeS: SESSION_LIMITS.signInS });
