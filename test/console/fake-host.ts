import { createServer } from "node:http";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { Test } from "tap";

const built = resolve(import.meta.dirname, "../../dist/console");
const PAGE = 200;
const AT = "2026-11-22T12:00:00.000Z";

const engineAt = (index: number) => ({
  id: `eng_${String(index).padStart(5, "0")}`,
  product_id: "prd_1",
  user_id: `user-${index}`,
  state: "running",
  running: true,
  incarnation: `life-${index}`,
  api_key: { prefix: "sk-orch-aa", last4: "aaaa", created_at: AT, previous_expires_at: null },
  health: { status: "ok", last_ok_at: AT, consecutive_failures: 0 },
  restarts: { count: 0, window_started_at: null, next_at: null },
  usage: {
    cpu_percent: index % 90,
    memory_mb: 70 + (index % 50),
    disk_mb: 1,
    active_turns: 0,
    work: null,
    sampled_at: AT,
  },
  last_error: null,
  sleep: null,
  awake: { woken_by: null, kept_by: [], idle_since: null, learning_due_at: null },
  stop_reason: null,
  last_active_at: AT,
});

export interface FakeHost {
  readonly url: string;
  /** Sends an event to every open stream: an engine crashed or runs again. */
  change(index: number, state: "running" | "backoff"): void;
}

/** Answers what the console's fleet asks for, with as many engines as no test machine has. */
export async function startFakeHost(t: Test, count: number): Promise<FakeHost> {
  const streams = new Set<(text: string) => void>();
  const engines = Array.from({ length: count }, (_, index) => engineAt(index));
  const answers: Record<string, (query: URLSearchParams) => unknown> = {
    "/console/session": () => ({ id: "ses_1", role: "admin", person: null, expires_at: AT }),
    "/console/sign-in": () => ({ oidc: null }),
    "/admin/engines": (query) => {
      const from = Number(query.get("cursor") ?? 0);
      const next = from + PAGE < count ? String(from + PAGE) : null;
      return { data: engines.slice(from, from + PAGE), next_cursor: next };
    },
    "/products": () => ({ data: [{ id: "prd_1", slug: "demo", policy: {} }], next_cursor: null }),
    "/admin/events": () => ({ data: [], next_cursor: null }),
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://host");
    if (pathname === "/admin/events" && request.headers.accept === "text/event-stream") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      const send = (text: string) => void response.write(text);
      streams.add(send);
      response.on("close", () => streams.delete(send));
      return;
    }
    const answer = answers[pathname];
    if (answer !== undefined) {
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer(searchParams)));
    } else if (pathname.startsWith("/console/")) {
      const name = pathname === "/console/" ? "index.html" : pathname.slice("/console/".length);
      const type = name.endsWith(".js") ? "text/javascript" : name.endsWith(".css") ? "text/css" : "text/html";
      response.setHeader("content-type", type).end(readFileSync(join(built, name)));
    } else {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  let events = 0;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change(index, state) {
      const id = `evt_${String(++events).padStart(8, "0")}`;
      const type = state === "running" ? "engine.running" : "engine.crashed";
      const engine = engineAt(index);
      const event = {
        id,
        type,
        time: AT,
        product_id: "prd_1",
        user_id: engine.user_id,
        engine_id: engine.id,
        incarnation: null,
        from: null,
        to: state,
        reason: "the process ended",
        actor: "orchd",
        request_id: null,
        data: {},
      };
      for (const send of streams) send(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
    },
  };
}
