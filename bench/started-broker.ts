import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrokerOrder } from "../src/contract/broker/broker-order.ts";
import { QUESTION_PREFIX } from "../src/contract/broker/question-path.ts";
import type { AnswerTo } from "../src/contract/broker/questions.ts";
import { call, freePort } from "./measure.ts";

export const BROKER = join(import.meta.dirname, "../dist/orchd-broker.cjs");
/** The engine whose calls are reserved. */
export const BUDGETED = "budgeted";

export interface StartedBroker {
  readonly child: ChildProcess;
  readonly url: string;
}

/** A broker whose daemon knows every engine, and one secret. */
export async function startBroker(
  sealingKey: Buffer,
  {
    secret,
    certificates = null,
  }: { readonly secret: AnswerTo<"secret">["secret"]; readonly certificates?: string | null },
): Promise<StartedBroker> {
  const port = await freePort();
  const order: BrokerOrder = {
    sealing_key: sealingKey.toString("base64"),
    build: "bench",
    listen: { host: "127.0.0.1", port },
    confine: true,
    extra_ca_certs: certificates,
    daemon_url: await startDaemon(secret),
  };
  const child = spawn(process.execPath, [BROKER], { stdio: ["pipe", "inherit", "inherit"], env: {} });
  child.stdin?.end(JSON.stringify(order));
  const url = `http://127.0.0.1:${port}`;
  // It answers nothing but calls of engines.
  while ((await call(url).catch(() => null))?.status !== 401) await sleep(3);
  return { child, url };
}

async function startDaemon(secret: AnswerTo<"secret">["secret"]): Promise<string> {
  const answers: Readonly<Record<string, (asked: { readonly engine?: string }) => object>> = {
    engine: ({ engine }) => ({ is_current: true, has_budgets: engine === BUDGETED }),
    reserve: () => ({ verdict: "reserved", message: "", details: {} }),
    settle: () => ({}),
    secret: () => ({ secret }),
  };
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as { readonly engine?: string };
    response.end(JSON.stringify(answers[request.url?.slice(QUESTION_PREFIX.length) ?? ""]?.(asked) ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
