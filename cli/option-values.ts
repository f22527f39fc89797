import { InvalidArgumentError } from "commander";
import { CliFailure } from "./exit-codes.ts";
import { readInput } from "./secret-input.ts";

const SECONDS = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 } as const;

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number.");
}

/** Seconds from `90`, `90s`, `5m`, `24h` or `7d`. */
export function duration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,7})([smhd])?$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * SECONDS[unit as keyof typeof SECONDS];
  throw new InvalidArgumentError("Expected a time such as 90, 90s, 5m, 24h or 7d.");
}

/** A duration of at least one second. */
export function interval(text: string): number {
  const seconds = duration(text);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError("Expected a time of at least 1s.");
}

/** Not null: commander takes null for an option without a value. */
export const NO_LIMIT = Symbol("no limit");

/** A number, or `none` for no limit. */
export const limit = (text: string): number | typeof NO_LIMIT => (text === "none" ? NO_LIMIT : wholeNumber(text));

/** `open`, `none`, or hosts separated by commas; the daemon reads the hosts. */
export const hosts = (text: string): "open" | "none" | readonly string[] =>
  text === "open" || text === "none" ? text : listed(text);

/** Ports separated by commas, or `none`. */
export const ports = (text: string): readonly number[] => (text === "none" ? [] : listed(text).map(wholeNumber));

/** Names separated by commas, or `none`. */
export const namesOrNone = (text: string): readonly string[] => (text === "none" ? [] : listed(text));

/** Names separated by commas, `none`, or `any` for no limit. */
export const namesOrAny = (text: string): readonly string[] | typeof NO_LIMIT =>
  text === "any" ? NO_LIMIT : namesOrNone(text);

/** Names separated by commas. */
export const names = (text: string): readonly string[] => listed(text);

const listed = (text: string): readonly string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** For an option that may be given several times. */
export const collected = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** A JSON object from a file; `-` is standard input. */
export async function jsonObject(option: string, file: string): Promise<Record<string, unknown>> {
  const text = await readInput(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliFailure("usage", `${option} ${file}: expected JSON (${error instanceof Error ? error.message : ""})`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CliFailure("usage", `${option} ${file}: expected a JSON object`);
}
