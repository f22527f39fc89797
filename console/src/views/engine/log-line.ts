const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
/** The same in every line of an engine. */
const LEFT_OUT = new Set(["level", "time", "msg", "name", "pid", "engine_id", "incarnation"]);

/** A line of the engine's log as a person reads it. What an engine did not log itself is shown as it is. */
export function readableLine(line: string): string {
  const entry = parsed(line);
  if (entry === null) return line;
  const { level, time, msg } = entry;
  const fields = Object.entries(entry)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `  ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const clock = typeof time === "string" ? time.slice(11, 19) : "";
  return `${clock} ${(LEVELS[Number(level)] ?? "").padEnd(5)} ${typeof msg === "string" ? msg : ""}${fields.join("")}`;
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith('{"level":')) return null;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    // Cut by a crash.
    return null;
  }
}
