import { STATUS_CODES, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { EgressRefused } from "./egress-rules.ts";

/** An answer of the proxy itself. */
export interface ProxyAnswer {
  readonly status: 400 | 403 | 407 | 502 | 503 | 504;
  /** One line of text for the program's user. */
  readonly text: string;
  /** The HTTP reason. Default: that of the status. */
  readonly reason?: string;
  /** Of the password that it asks for. */
  readonly realm?: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name does not resolve",
  EAI_AGAIN: "its name cannot be resolved now",
  ECONNREFUSED: "it refuses the connection",
  ECONNRESET: "it closed the connection",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "its network cannot be reached",
};

/** How the proxy answers a request that it could not pass on. */
export function failureAnswer(host: string, error: Error & { readonly code?: unknown }): ProxyAnswer {
  if (error instanceof EgressRefused) return { status: 403, text: error.message };
  if (error.code === "ETIMEDOUT") return { status: 504, text: `${host} does not answer in time` };
  return { status: 502, text: `${host}: ${REASONS[String(error.code)] ?? "the connection failed"}` };
}

/** To a request, or to the bare connection of CONNECT and Upgrade, which it ends. */
export function sendAnswer(to: ServerResponse | Socket, { status, text, realm, reason: own }: ProxyAnswer): void {
  const body = `${text}\n`;
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    ...(realm !== undefined && { "Proxy-Authenticate": `Basic realm="${realm}"` }),
  };
  const reason = own ?? STATUS_CODES[status] ?? "";
  if (to instanceof ServerResponse) {
    to.writeHead(status, reason, headers).end(body);
    return;
  }
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`);
  to.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`);
}
