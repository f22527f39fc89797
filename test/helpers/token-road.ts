import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { questionTokenOf } from "../../src/contract/broker/tokens.ts";

/** Asks daemons for tokens of tool servers, as their broker does. */
export function openTokenRoad(
  t: Test,
  { dataDir, url, tools }: { readonly dataDir: string; readonly url: string; readonly tools: string },
) {
  const secret = readFileSync(join(dataDir, "secret-key"), "utf8").trim();
  const road = new DaemonRoad({ token: questionTokenOf(sealingKeyOf(secret)), url });
  t.teardown(() => road.close());
  const target = { server: "guarded", url: tools, scopes: null, client_id: null, client_secret: null };
  return (start: { readonly engine: string; readonly incarnation: string }) =>
    road.ask("connection", { ...start, target, rejected: null }, { deadlineMs: 60_000 });
}
