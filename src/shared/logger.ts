import { type DestinationStream, type Logger, destination, pino, stdTimeFunctions } from "pino";
import { lazily } from "./lazily.ts";
import { currentRequest } from "./request-context.ts";

export type { Logger } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// Fields that may contain a secret or a user's text. Errors of pg contain the client with its password.
const SECRET_FIELDS = [
  "api_key",
  "apiKey",
  "platform_api_key",
  "engine_api_key",
  "key",
  "password",
  "token",
  "secret",
  "authorization",
  "message_body",
  "connectionString",
];
const REDACTED = [
  ...SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  "err.client",
  "*.client",
  '*["x-platform-key"]',
  '*["x-admin-key"]',
  '*["x-engine-key"]',
];

const loggerTo = (stream: DestinationStream): Logger =>
  pino(
    {
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      mixin: () => {
        const request = currentRequest();
        return request === undefined ? {} : { request_id: request.requestId };
      },
      redact: { paths: REDACTED, censor: "[redacted]" },
    },
    stream,
  );

/** Opened by the first line, since a start-up snapshot cannot contain it. */
const standardOutput = lazily(() => {
  const output = destination({ dest: 1, sync: true });
  // A log that cannot be written (full disk, closed pipe) must not end the process.
  output.on("error", () => undefined);
  return output;
});

/** Shared: to compile the redacted paths takes milliseconds, and a start-up snapshot contains the result. */
const toStandardOutput = lazily(() => loggerTo({ write: (line) => standardOutput().write(line) }));

/** Writes JSON lines to standard output, synchronously: no line is lost when the process dies. */
export function createLogger(name: string, level: LogLevel, stream?: DestinationStream): Logger {
  const parent = stream === undefined ? toStandardOutput() : loggerTo(stream);
  return parent.child({ name, pid: process.pid }, { level });
}
