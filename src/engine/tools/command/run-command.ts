import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import * as z from "zod/mini";
import { byteLength } from "../../../shared/parse.ts";
import type { LimitedLauncher, ProgramFolders } from "../../../sandbox/programs.ts";
import type { ProgramNetwork } from "../../../sandbox/proxy.ts";
import type { Tool } from "../tool.ts";
import { toolInput } from "../tool-input.ts";
import { WORKSPACE } from "../workspace-resource.ts";
import { commandEnvironment } from "./command-environment.ts";
import type { Network } from "../web/guarded-request.ts";
import type { ProgramSecrets } from "./program-secrets.ts";
import { runProgram } from "./run-program.ts";

/** Linux limits an argument to 128 KiB. */
const MAX_COMMAND_BYTES = 100_000;
const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;
/** For TERM, KILL and draining the output. */
const EXIT_TIMEOUT_MS = 5000;

const BASH = "/bin/bash";

/** What commands are started with. */
export interface CommandHost {
  /** The engine's environment, of which commands inherit a small part. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folders: ProgramFolders;
  readonly launcher: Pick<LimitedLauncher, "start">;
  readonly network: ProgramNetwork;
  /** The same network, for requests that the engine itself sends. */
  readonly outside: Network;
  readonly secrets: ProgramSecrets;
}

const input = toolInput(
  z.object({
    command: z.string().check(
      z.minLength(1),
      z.refine((text) => byteLength(text) <= MAX_COMMAND_BYTES, {
        error: `expected at most ${MAX_COMMAND_BYTES} bytes`,
      }),
      z.refine((text) => !text.includes("\0"), { error: "expected no NUL character" }),
    ),
    timeout_s: z.optional(
      z.int().check(z.gte(1), z.lte(MAX_TIMEOUT_S), z.describe(`Timeout in seconds; default: ${DEFAULT_TIMEOUT_S}`)),
    ),
  }),
);

/** Runs a shell command. A grant matches the whole command line, never a prefix (`git status; rm -rf .`). */
export function runCommand({
  environment,
  folders,
  launcher,
  network,
}: CommandHost): Tool<{ command: string; timeout_s?: number }> {
  const shell = existsSync(BASH) ? BASH : "/bin/sh";
  return {
    name: "run_command",
    description:
      "Runs a shell command in the workspace, without standard input. Returns its exit code and output. Background processes end with the call.",
    input,
    readOnly: false,
    permission: "ask",
    exitTimeoutMs: EXIT_TIMEOUT_MS,
    timeoutMs: ({ timeout_s: seconds = DEFAULT_TIMEOUT_S }) => seconds * 1000,
    resources: () => [WORKSPACE],
    changesFiles: true,
    subject: ({ command }) => command,
    async run({ command }, { workspaceDir, signal, ...context }) {
      const cwd = await realpath(workspaceDir);
      const env = commandEnvironment(environment, { ...folders, workspace: cwd });
      const start = network.traffic.mark();
      const end = await runProgram(launcher, {
        argv: [shell, "-c", "--", command],
        cwd,
        env,
        signal,
        onOutput: () => context.progress(),
      });
      return {
        exit_code: end.exitCode,
        ...(end.signal !== null && { signal: end.signal }),
        output: end.output,
        // Many programs show only the status of a refusal.
        ...refusals(network.traffic.refusedSince(start)),
        ...(end.leftBehind > 0 && { note: `ended ${end.leftBehind} background processes` }),
      };
    },
  };
}

const refusals = (refused: readonly string[]) => (refused.length > 0 ? { network: refused } : {});
