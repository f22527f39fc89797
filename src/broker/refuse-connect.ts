import type { Duplex } from "node:stream";
import { EgressRefused } from "../sandbox/proxy.ts";
import { DaemonAway, QuestionRefused } from "./ask-daemon.ts";
import { TooManyQuestions } from "./fair-questions.ts";
import { Refusal } from "./outgoing.ts";

const TOO_MANY = 429;

/** Programs show the reason of a refused CONNECT, and not its body. */
export function refuseConnect(client: Duplex, status: number, message: string): void {
  const body = `orchd: ${message}\n`;
  const retry = status === TOO_MANY ? "retry-after: 1\r\n" : "";
  client.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n${retry}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** The status and the reason for which a tunnel was not opened. */
export function reasonOf(error: unknown): readonly [status: number, message: string] {
  if (error instanceof Refusal) return [error.status, error.message];
  if (error instanceof QuestionRefused || error instanceof EgressRefused) return [403, error.message];
  if (error instanceof TooManyQuestions) return [TOO_MANY, error.message];
  if (error instanceof DaemonAway) return [503, "the daemon cannot be asked at this moment; try again"];
  const { code } = error as NodeJS.ErrnoException;
  return [502, code === undefined ? "the broker failed" : `the host cannot be reached: ${code}`];
}
