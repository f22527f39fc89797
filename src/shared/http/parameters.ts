import { InvalidInput } from "../parse.ts";

/** A request with its query as Express parses it. */
interface Queried {
  readonly query: Readonly<Record<string, unknown>>;
}

/** A query parameter as text. Of several values the last one counts. */
export function parameter({ query }: Queried, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  return String(Array.isArray(value) ? value.at(-1) : value);
}

/** Throws `InvalidInput` for anything but an integer within the bounds. */
export function integerParameter(
  call: Queried,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = parameter(call, name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
    throw new InvalidInput(name, `expected an integer from ${min} to ${max}`);
  }
  return value;
}

export function flagParameter(call: Queried, name: string): boolean {
  const text = parameter(call, name) ?? "false";
  if (text !== "true" && text !== "false") throw new InvalidInput(name, "expected true or false");
  return text === "true";
}

export function choiceParameter<T extends string>(call: Queried, name: string, choices: readonly T[]): T | null {
  const text = parameter(call, name);
  if (text === undefined) return null;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new InvalidInput(name, `expected one of ${choices.join(", ")}`);
  return found;
}
