import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { execa } from "execa";
import { SECRET_LIMITS, SECRET_VALUE, type SecretSource } from "../../contract/orchestrator/secret-limits.ts";

const { bytes: BYTES } = SECRET_LIMITS;
const COMMAND_MS = 10_000;
/** A command that is killed gets this time to end. */
const KILL_MS = 1000;

/** What the operator lets products' secrets be read from. */
export interface SecretSources {
  /** By name: the variables `SECRET_VALUE_…` of the daemon's environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** A folder of files. Null: none. */
  readonly folder: string | null;
  /** A program with its first arguments; the key is its last. Null: none. */
  readonly command: readonly string[] | null;
  /** The environment of the command, without the daemon's settings. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A value cannot be read. The message is for operators, and contains none of it. */
export class SourceFailed extends Error {
  override readonly name = "SourceFailed";
}

interface Provider {
  /** Why this key can never be read, or null. */
  readonly problem: (sources: SecretSources, key: string) => string | null;
  readonly read: (sources: SecretSources, key: string) => Promise<string>;
}

const NAME = /^\w[\w.@-]*$/;

const PROVIDERS: Readonly<Record<SecretSource, Provider>> = {
  env: {
    problem: ({ variables }, key) =>
      variables[key] === undefined ? `expected SECRET_VALUE_${key} in the daemon's environment` : null,
    read: ({ variables }, key) => Promise.resolve(variables[key] ?? ""),
  },
  file: {
    problem: ({ folder }, key) => {
      if (folder === null) return "expected ORCH_SECRETS_DIR, the folder of such files, to be set";
      return NAME.test(key) ? null : "expected the name of a file in ORCH_SECRETS_DIR, without folders";
    },
    read: async ({ folder }, key) => readFileStart(join(folder ?? "", basename(key))),
  },
  command: {
    problem: ({ command }, key) => {
      if (command === null) return "expected ORCH_SECRETS_COMMAND, the command that prints values, to be set";
      return key.startsWith("-") ? "expected a key that does not begin with -" : null;
    },
    read: ({ command, environment }, key) => runCommand(command ?? [], key, environment),
  },
};

/** Why a secret cannot be read from there, or null. */
export function sourceProblem(sources: SecretSources, from: string): string | null {
  const { provider, key } = split(from);
  return provider.problem(sources, key);
}

/** Reads a value. Throws {@link SourceFailed}. */
export async function readSource(sources: SecretSources, from: string): Promise<string> {
  const { provider, key } = split(from);
  const problem = provider.problem(sources, key);
  if (problem !== null) throw new SourceFailed(problem);
  const value = (await provider.read(sources, key)).replace(/\r?\n$/, "");
  const { length } = value;
  if (length < BYTES.min || length > BYTES.max || !SECRET_VALUE.test(value))
    throw new SourceFailed(`expected ${BYTES.min} to ${BYTES.max} printable ASCII characters of ${from}`);
  return value;
}

function split(from: string): { readonly provider: Provider; readonly key: string } {
  const at = from.indexOf(":");
  return { provider: PROVIDERS[from.slice(0, at) as SecretSource], key: from.slice(at + 1) };
}

/** A longer file is no value. */
async function readFileStart(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES.max + 3));
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new SourceFailed(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}

/** What it prints on standard error may contain anything, and is dropped. */
async function runCommand(
  [program = "", ...first]: readonly string[],
  key: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { failed, timedOut, isMaxBuffer, exitCode, signal, code, stdout } = await execa(program, [...first, key], {
    env,
    extendEnv: false,
    cwd: "/",
    stdin: "ignore",
    stderr: "ignore",
    timeout: COMMAND_MS,
    forceKillAfterDelay: KILL_MS,
    maxBuffer: BYTES.max + 2,
    stripFinalNewline: false,
    reject: false,
  });
  if (!failed) return stdout;
  if (timedOut) throw new SourceFailed(`ORCH_SECRETS_COMMAND did not end within ${COMMAND_MS / 1000} s`);
  if (isMaxBuffer) throw new SourceFailed(`ORCH_SECRETS_COMMAND printed more than ${BYTES.max} bytes`);
  throw new SourceFailed(`ORCH_SECRETS_COMMAND failed (${code ?? signal ?? `exit code ${exitCode}`})`);
}
