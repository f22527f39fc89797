import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { readIdentity } from "../../shared/processes.ts";
import { CALL_MARK, CommandTree } from "../isolation/command-tree.ts";
import type { ConnectParams } from "./connection.ts";
import type { StdioServerConfig } from "./server-config.ts";

/** For a server to exit after end of input. */
const GRACE_MS = 1000;
/** For output still in the pipes after exit. */
const DRAIN_MS = 500;

/**
 * Starts a watcher in the process group, then execs the server. The watcher reads descriptor 3, which closes when the
 * engine dies, and then kills the group. It is forked twice so that it is no child of the server, and holds none of the
 * server's streams, which would otherwise stay open.
 */
const GUARDED = '( (read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & ); exec 3<&-; exec "$0" "$@"';

/** The process of a local tool server and its descendants. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #tree: CommandTree | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with the exit reason when no descendant is left. Never rejects. */
  readonly exited: Promise<string>;

  constructor(
    server: StdioServerConfig,
    { workspaceDir, environment }: Pick<ConnectParams, "workspaceDir" | "environment">,
  ) {
    const cwd = resolve(workspaceDir, server.cwd);
    if (!existsSync(cwd)) throw new Error(`its cwd ${server.cwd} does not exist`);
    const mark = randomUUID();
    // Falls back to the engine's Node.js.
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
    // The exit of the process reports a broken stream.
    for (const stream of child.stdio) stream?.on("error", () => undefined);
    this.exited = this.#untilGone();
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  /** Ends standard input as MCP specifies; then TERM and KILL for what remains. */
  async end(): Promise<void> {
    this.stdin.end();
    if (!(await settledWithin(this.exited, GRACE_MS))) await this.#tree?.end();
    await this.exited;
  }

  async #untilGone(): Promise<string> {
    const child = this.#child;
    const reason = await new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
      child.once("exit", (code, signal) =>
        resolve(signal === null ? `it exited with ${code}` : `it was killed by ${signal}`),
      );
    });
    await this.#tree?.end();
    const ends = [this.stdout, this.stderr].map((stream) => finished(stream).catch(() => undefined));
    await settledWithin(Promise.all(ends), DRAIN_MS);
    for (const stream of child.stdio) stream?.destroy();
    return reason;
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
