/** Fields of log lines, events and errors with values made by orchd. Any other field may contain a user's text. */
const OWN_FIELDS = new Set([
  ..."level time name pid msg engine_id product_id incarnation request_id turn_id event type actor from to".split(" "),
  ..."code status phase signal oom exit_code restart next_at port ports version provider model mode active at".split(
    " ",
  ),
  ..."adopted boot_ms took_ms url state verdict pids survivors stop_result dropped tool_server id data err last_error".split(
    " ",
  ),
  ..."log_tail stack previous next count size errno syscall attempt".split(" "),
]);

/** A line of a stack trace has no values. */
const STACK_LINE = /^\s+at .*$|^Node\.js v\S+$/;
/** The name of an error. Its message may contain a user's text. */
const ERROR_NAME = /^(?:Uncaught )?(\w*Error(?: \[\w+\])?|FATAL ERROR)\b/;

/** Who wrote a record. Texts of the daemon are orchd's own; those of an engine may contain a user's text. */
export type Writer = "daemon" | "engine";
/** Fields with texts of the daemon. */
const DAEMON_TEXTS = new Set(["reason", "stop_reason", "problem", "fix", "name"]);

/** A log line with only the values made by orchd. */
export function redactLogLine(line: string, writer: Writer): string {
  const value = parsed(line);
  if (value !== null) return JSON.stringify(redactRecord(value, writer));
  if (line === "" || STACK_LINE.test(line)) return line;
  const name = ERROR_NAME.exec(line)?.[1];
  return name === undefined ? `(${line.length} characters left out)` : `${name}: (message left out)`;
}

/** A record with only the values made by orchd, at every level. The names of all fields remain. */
export function redactRecord(record: object, writer: Writer): Record<string, unknown> {
  const isOwn = (name: string) => OWN_FIELDS.has(name) || (writer === "daemon" && DAEMON_TEXTS.has(name));
  const shown = Object.entries(record).map(([name, value]): [string, unknown] => [
    name,
    isOwn(name) ? redactValue(name, value, writer) : "(left out)",
  ]);
  return Object.fromEntries(shown);
}

function redactValue(name: string, value: unknown, writer: Writer): unknown {
  const isObject = (one: unknown) => typeof one === "object" && one !== null;
  const engineLine = (line: unknown) => redactLogLine(String(line), "engine");
  if (name === "stack" && typeof value === "string") return value.split("\n").map(engineLine).join("\n");
  if (name === "log_tail" && Array.isArray(value)) return value.map(engineLine);
  if (Array.isArray(value)) {
    return value.map((one: unknown) => (isObject(one) ? redactRecord(one, writer) : one));
  }
  return isObject(value) ? redactRecord(value, writer) : value;
}

function parsed(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}
