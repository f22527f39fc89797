import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";

const SUITE = resolve(import.meta.dirname, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** Scenarios that a server must pass whatever its tools are. */
const APPLY = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
] as const;

/**
 * The others call what the suite's own example server has: tools, resources and prompts named `test_…`, or capabilities
 * that an engine does not declare. They are listed so that a scenario of a later suite is noticed.
 */
const NEED_EXAMPLE_SERVER: Readonly<Record<string, readonly string[]>> = {
  "tools with given names": [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-with-logging",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "json-schema-2020-12",
    "server-sse-polling",
  ],
  "the capability logging": ["logging-set-level"],
  "the capability completions": ["completion-complete"],
  "resources with given names": [
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  "prompts with given names": [
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The suite sends no key, so a proxy adds it. It passes on `Host` and `Origin`. */
async function withKey(t: Test, { url, key }: { readonly url: string; readonly key: string }): Promise<string> {
  const { port } = new URL(url);
  const proxy = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const upstream = httpRequest(
      { host: "127.0.0.1", port, method, path, headers: { ...headers, authorization: `Bearer ${key}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

async function checksOf(t: Test, url: string, scenario: string): Promise<readonly Check[]> {
  const folder = freshFolder(t, "conformance");
  const args = [SUITE, "server", "--url", url, "--scenario", scenario, "--output-dir", folder];
  await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 60_000 }).catch(() => {});
  const [results = ""] = readdirSync(folder);
  return JSON.parse(readFileSync(join(folder, results, "checks.json"), "utf8")) as Check[];
}

const engine = await startEngine(t);
const url = await withKey(t, engine);

t.test("the suite has no scenario that this test does not know", async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [SUITE, "list", "--server"]);
  const listed = [...stdout.matchAll(/^ +- (\S+)/gm)].map(([, name = ""]) => name);
  t.strictSame(listed.toSorted(), [...APPLY, ...Object.values(NEED_EXAMPLE_SERVER).flat()].toSorted());
});

t.test("the maintainers' conformance suite passes what applies to a server of any tools", async (t) => {
  for (const scenario of APPLY) {
    const checks = await checksOf(t, url, scenario);
    const failed = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
    t.strictSame(failed, [], scenario);
    t.ok(
      checks.some(({ status }) => status === "SUCCESS"),
      `${scenario} has checked something`,
    );
  }
});
