import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { dirname, join } from "node:path";
import type { Test } from "tap";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { commandHost } from "../../helpers/command-host.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { toolBench } from "../../helpers/tool-context.ts";
import { type ProxyBenchOptions, proxyBench } from "./proxy-bench.ts";

/** Programs of the host, as a command of the model runs them: each finds the proxy by itself. */
export async function commandBench(t: Test, options: ProxyBenchOptions = {}) {
  const proxy = await proxyBench(t, options);
  const parts = toolBench(t);
  const host = commandHost({ PATH: process.env["PATH"] }, dirname(parts.workspaceDir), proxy.network);
  const tool = runCommand(host);
  const run = async (command: string) => {
    const { output, error } = await parts.run(tool, { command });
    if (error !== null) throw new Error(error);
    return output as { exit_code: number; output: string; network?: readonly string[] };
  };
  return { ...proxy, ...parts, run };
}

const has = (program: string): boolean => {
  try {
    execFileSync(program, [program === "openssl" ? "version" : "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
/** Skips a test where a program is missing. */
export const unless = (program: string) => (has(program) ? {} : { skip: `${program} is not installed` });

/** A repository with one commit, whose files a plain server can serve. */
export function bareRepository(t: Test): string {
  const bare = join(freshFolder(t), "origin.git");
  const git = (...args: string[]) =>
    execFileSync("git", args, { env: { PATH: process.env["PATH"], HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" } });
  git("init", "-q", "--bare", bare);
  const tree = git("-C", bare, "mktree").toString().trim();
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const commit = git("-C", bare, ...identity, "commit-tree", "-m", "first", tree)
    .toString()
    .trim();
  git("-C", bare, "update-ref", git("-C", bare, "symbolic-ref", "HEAD").toString().trim(), commit);
  git("-C", bare, "update-server-info");
  return bare;
}

export function fileServer(folder: string): RequestListener {
  return (request, response) => {
    try {
      const { pathname } = new URL(request.url ?? "/", "http://x");
      response.end(readFileSync(join(folder, pathname)));
    } catch {
      response.writeHead(404).end();
    }
  };
}
