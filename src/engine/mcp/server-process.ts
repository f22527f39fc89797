import { existsSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { inBackground } from "../../shared/background.ts";
import type { LimitedProgram, ProgramExit } from "../../sandbox/programs.ts";
import type { ConnectParams } from "./connection.ts";
import type { StdioServerConfig } from "./server-config.ts";

/** How long a server may take to exit after the end of its input. */
const GRACE_MS = 1000;
/** How long output may remain in the pipes after the exit. */
const DRAIN_MS = 500;

/**
 * Starts a watcher in the process group, then execs the server. The watcher reads descriptor 3, which closes when the
 * engine dies, and then kills the group. It is forked twice so that it is no child of the server, and holds none of the
 * server's streams, which would otherwise stay open.
 */
const GUARDED = '( (read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & ); exec 3<&-; exec "$0" "$@"';

type ServerProcessParams = Pick<ConnectParams, "workspaceDir" | "environment" | "launcher" | "secrets" | "proxyPort">;

/** The process of a local tool server and its descendants. */
export class ServerProcess {
  readonly #program: LimitedProgram;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with the exit reason when no descendant is left. Never rejects. */
  readonly exited: Promise<string>;

  private constructor(program: LimitedProgram) {
    const { stdin, stdout, stderr } = program;
    if (stdin === null || stderr === null) throw new Error("expected a program with all streams");
    this.#program = program;
    [this.stdin, this.stdout, this.stderr] = [stdin, stdout, stderr];
    this.exited = this.#untilGone();
  }

  /** Rejects with a readable Error when the server cannot be started. */
  static async start(server: StdioServerConfig, params: ServerProcessParams): Promise<ServerProcess> {
    const { workspaceDir, launcher, secrets, proxyPort } = params;
    const cwd = resolve(workspaceDir, server.cwd);
    if (!existsSync(cwd)) throw new Error(`cwd: expected a folder, but ${server.cwd} does not exist`);
    // Falls back to the engine's Node.js.
    const environment = params.environment();
    const PATH = [environment["PATH"], dirname(process.execPath)].join(delimiter);
    const own = await secrets.environment(server.env, () => proxyPort(server.sandbox.network));
    const program = await launcher.start({
      argv: ["/bin/sh", "-c", GUARDED, server.command, ...server.args],
      cwd,
      env: { ...environment, PATH, ...own },
      streams: "all",
      sandbox: server.sandbox,
    });
    return new ServerProcess(program);
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** Ends standard input as MCP specifies; then TERM and KILL for what remains. */
  async end(): Promise<void> {
    this.stdin.end();
    if (!(await settledWithin(this.exited, GRACE_MS))) await this.#program.tree.end();
    await this.exited;
  }

  async #untilGone(): Promise<string> {
    const { exited, exceeded, tree } = this.#program;
    exceeded.addEventListener("abort", () => inBackground("end of a tool server", tree.end()), { once: true });
    const reason = await exited.then(
      (exit) => this.#reasonOf(exit),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    await tree.end();
    const ends = [this.stdout, this.stderr].map((stream) => finished(stream).catch(() => undefined));
    await settledWithin(Promise.all(ends), DRAIN_MS);
    this.#program.dispose();
    return reason;
  }

  #reasonOf(exit: ProgramExit): string {
    const { exceeded } = this.#program;
    const limit = exceeded.aborted ? String(exceeded.reason) : this.#program.limitReached(exit);
    if (limit !== null) return `it was ended: ${limit}`;
    return exit.signal === null ? `it exited with ${exit.exitCode}` : `it was killed by ${exit.signal}`;
  }
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
