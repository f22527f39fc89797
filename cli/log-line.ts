import type { Style } from "./output.ts";
import { safe, safeJson } from "./output.ts";

export const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
export type Level = keyof typeof LEVELS;
/** Fields that every line of an engine has. They are not shown. */
const KNOWN = new Set(["level", "time", "name", "pid", "engine_id", "incarnation", "msg"]);

/** A line of an engine's log: its JSON, or text that the process printed when it crashed. */
export type LogLine =
  | { readonly kind: "record"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "text"; readonly text: string };

export function parseLogLine(line: string): LogLine {
  try {
    const fields: unknown = JSON.parse(line);
    if (typeof fields === "object" && fields !== null && "level" in fields)
      return { kind: "record", fields: { ...fields } };
  } catch {
    // Not JSON: shown as it is.
  }
  return { kind: "text", text: line };
}

/** The line unchanged. Text becomes a JSON document too. */
export const rawLine = (line: LogLine): unknown => (line.kind === "record" ? line.fields : { line: line.text });

/** Text is the output of a crash, so it passes every level filter. */
export const hasLevel = (line: LogLine, level: Level): boolean =>
  line.kind === "text" || Number(line.fields["level"]) >= LEVELS[level];

/** The line's time in milliseconds since the epoch; null for text. */
export function timeOf(line: LogLine): number | null {
  const time = line.kind === "record" ? Date.parse(String(line.fields["time"])) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Time, level, message and the other fields: `2026-11-01 12:00:00.000 WARN  refused  problems=[…]`. */
export function describeLine(line: LogLine): string {
  if (line.kind === "text") return safe(line.text);
  const { fields } = line;
  const time = safe(fields["time"]).replace("T", " ").replace("Z", "");
  const rest = Object.entries(fields).flatMap(([name, value]) =>
    KNOWN.has(name) ? [] : [`${safe(name)}=${shown(value)}`],
  );
  return [time, levelName(fields["level"]).padEnd(5), [safe(fields["msg"]), ...rest].join("  ")].join(" ");
}

export function styleOf(line: LogLine): Style | undefined {
  if (line.kind === "text") return undefined;
  const level = Number(line.fields["level"]);
  if (level >= LEVELS.error) return "red";
  return level >= LEVELS.warn ? "yellow" : undefined;
}

const shown = (value: unknown): string => (typeof value === "string" ? safe(value) : safeJson(value));

function levelName(level: unknown): string {
  const found = Object.entries(LEVELS).findLast(([, least]) => Number(level) >= least);
  return (Number(level) >= 60 ? "fatal" : (found?.[0] ?? "trace")).toUpperCase();
}

/** The message of a line and of its error, without the other fields. Of a line that was cut, what is left of them. */
export function logWords(line: string): string {
  const parsed = parseLogLine(line);
  if (parsed.kind === "record") {
    const { msg, err } = parsed.fields;
    const cause = typeof err === "object" && err !== null && "message" in err ? err.message : undefined;
    const words = [msg, cause].filter((part) => typeof part === "string" && part !== "");
    return words.length === 0 ? line : [...new Set(words)].join(": ");
  }
  if (!line.startsWith('{"level":')) return line;
  const [, text] = /"(?:msg|message)":("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
  return text === undefined ? "a log line that was cut" : String(JSON.parse(text));
}
