/** The environment is invalid. `problems` lists every problem, each with its variable. */
export class InvalidSettings extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "InvalidSettings";
    this.problems = problems;
  }
}

/** Reads settings from an environment and collects the problems. `done` throws them together. */
export class EnvironmentReader {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[] = [];

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** The text of a variable; an empty one counts as unset. */
  text(name: string): string | undefined;
  text(name: string, fallback: string): string;
  text(name: string, fallback?: string): string | undefined {
    return this.#env[name] || fallback;
  }

  /** A decimal integer within bounds, inclusive. `1e6`, `0x10` and `5s` are refused. `or` names another accepted value. */
  integer(name: string, fallback: number, { min, max, or }: { min: number; max: number; or?: string }): number {
    const text = this.#env[name];
    if (!text) return fallback;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      const expected = `an integer from ${min} to ${max}${or === undefined ? "" : ` or ${or}`}`;
      return this.#refuse(name, expected, text, fallback);
    }
    return value;
  }

  /** Flags take the strings `true` and `false`. */
  flag(name: string, fallback: boolean): boolean {
    const text = this.#env[name];
    if (!text) return fallback;
    if (text !== "true" && text !== "false") return this.#refuse(name, "true or false", text, fallback);
    return text === "true";
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.#env[name];
    if (!text) return fallback;
    const found = choices.find((choice) => choice === text);
    return found ?? this.#refuse(name, `one of ${choices.join(", ")}`, text, fallback);
  }

  /** Adds a problem that concerns several settings. */
  problem(text: string): void {
    this.#problems.push(text);
  }

  done(): void {
    if (this.#problems.length > 0) throw new InvalidSettings(this.#problems);
  }

  #refuse<T>(name: string, expected: string, got: string, fallback: T): T {
    this.#problems.push(`${name}: expected ${expected}, got ${JSON.stringify(got)}`);
    return fallback;
  }
}
