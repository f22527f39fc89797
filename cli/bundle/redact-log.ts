/** Fields of log lines, events and errors whose values orchd itself makes. Every other field may hold a user's text. */
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
/** The name of an error; its message may quote anything. */
const ERROR_NAME = /^(?:Uncaught )?(\w*Error(?: \[\w+\])?|FATAL ERROR)\b/;

/** Who wrote a record. The daemon's texts are made by orchd; an engine's may quote a message or a tool's output. */
export type Writer = "daemon" | "engine";
/** Texts that the daemon makes. */
const DAEMON_TEXTS = new Set(["reason", "stop_reason", "problem", "fix", "name"]);

/** A line of a log with only what orchd makes itself. */
export function redactLogLine(line: string, writer: Writer): string {
  const value = parsed(line);
  if (value !== null) return JSON.stringify(redactRecord(value, writer));
  if (line === "" || STACK_LINE.test(line)) return line;
  const name = ERROR_NAME.exec(line)?.[1];
  return name === undefined ? `(${line.length} characters left out)` : `${name}: (message left out)`;
}

/** A record with only the fields that orchd makes itself, at every level. The names of the others are kept. */
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
