import { type DestinationStream, type Logger, destination, pino, stdTimeFunctions } from "pino";
import { currentRequest } from "./request-context.ts";

export type { Logger } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// Where a secret or a user's words could slip into a line; pg errors carry the whole client with its password.
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

/** JSON lines on standard output, written before the call returns so that nothing is lost when the process dies. */
export function createLogger(name: string, level: LogLevel, stream?: DestinationStream): Logger {
  return pino(
    {
      name,
      level,
      base: { name, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      mixin: () => {
        const request = currentRequest();
        return request === undefined ? {} : { request_id: request.requestId };
      },
      redact: { paths: REDACTED, censor: "[redacted]" },
    },
    stream ?? standardOutput(),
  );
}

/** A log that cannot be written, on a full disk or a closed pipe, is no reason to end what it tells about. */
function standardOutput(): DestinationStream {
  const output = destination({ dest: 1, sync: true });
  output.on("error", () => undefined);
  return output;
}
