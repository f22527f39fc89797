import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { readIdentity } from "../../shared/processes.ts";
import { CALL_MARK, CommandTree } from "../tools/command/command-tree.ts";
import type { ConnectParams } from "./connection.ts";
import type { StdioServerConfig } from "./server-config.ts";

/** For a server to go by itself after the end of its input. */
const GRACE_MS = 1000;
/** For what is still in its pipes when nobody who could write to them is left. */
const LAST_WORDS_MS = 500;

/**
 * Becomes the server, after leaving a watcher in its process group: the watcher's descriptor 3 ends with the engine,
 * however the engine dies, and then nobody of the group is left. Twice in the background, so that it is no child of the
 * server's, and on no stream of it, which would seem open for as long as it lives.
 */
const GUARDED = '( (read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & ); exec 3<&-; exec "$0" "$@"';

/** One process of a local tool server with all that it starts. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #tree: CommandTree | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** With how it ended, in words; nothing that it started is left by then. Never rejects. */
  readonly exited: Promise<string>;

  constructor(
    server: StdioServerConfig,
    { workspaceDir, environment }: Pick<ConnectParams, "workspaceDir" | "environment">,
  ) {
    const cwd = resolve(workspaceDir, server.cwd);
    if (!existsSync(cwd)) throw new Error(`its folder ${server.cwd} does not exist`);
    const mark = randomUUID();
    // The engine's own Node.js is nobody's choice, but better than none.
    const PATH = [environment["PATH"], dirname(process.execPath)].join(delimiter);
    const child = spawn("/bin/sh", ["-c", GUARDED, server.command, ...server.args], {
      cwd,
      env: { ...environment, PATH, ...server.env, [CALL_MARK]: mark },
      // A session and group of its own.
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    this.#tree = treeOf(child, mark);
    [this.stdin, this.stdout, this.stderr] = [child.stdin, child.stdout, child.stderr];
    // What breaks here is told by the end of the process.
    for (const stream of child.stdio) stream?.on("error", () => undefined);
    this.exited = this.#untilGone();
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  /** The end of its input is how a server is asked to go; TERM and KILL follow for all that is left. */
  async end(): Promise<void> {
    this.stdin.end();
    if (!(await settledWithin(this.exited, GRACE_MS))) await this.#tree?.end();
    await this.exited;
  }

  async #untilGone(): Promise<string> {
    const child = this.#child;
    const how = await new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
      child.once("exit", (code, signal) =>
        resolve(signal === null ? `it exited with ${code}` : `it was ended by ${signal}`),
      );
    });
    await this.#tree?.end();
    const ends = [this.stdout, this.stderr].map((stream) => finished(stream).catch(() => undefined));
    await settledWithin(Promise.all(ends), LAST_WORDS_MS);
    for (const stream of child.stdio) stream?.destroy();
    return how;
  }
}

function treeOf({ pid }: ChildProcess, mark: string): CommandTree | null {
  if (pid === undefined) return null;
  return new CommandTree(process.platform === "linux" ? readIdentity(pid) : { pid, startTime: "0" }, mark);
}

async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
