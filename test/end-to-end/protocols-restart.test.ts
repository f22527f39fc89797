import t from "tap";
import { RAW_CALLS, RAW_PROTOCOLS, sendRaw } from "../engine/protocols/parts/raw-calls.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

t.setTimeout(120_000);
const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base } });
const TEXT = "/say begun\n/stream 150 50\n/say end";
const idempotent = (protocol: string) => ({ "idempotency-key": `one-${protocol}`.replaceAll(" ", "-") });

/** To an engine, a daemon that dies is a client that leaves: in these protocols that ends the turn. */
const outlivesDaemon = (protocol: string) => protocol !== "chat completions" && protocol !== "MCP 2026-07-28";

for (const how of ["drain of the engine", "kill -9 of the engine", "SIGKILL of the daemon"] as const)
  t.test(`a message whose answer a ${how} cuts off runs once, and its client gets all of it`, async (t) => {
    const engine = await fleet.provision(how.replaceAll(/[ -]/g, ""));
    const way = { url: `${base}/e/${engine.id}`, key: engine.key };
    const send = (protocol: (typeof RAW_PROTOCOLS)[number]) => {
      const call = RAW_CALLS[protocol]({ task: protocol, text: TEXT, id: "m1" });
      return sendRaw(way, { ...call, headers: { ...call.headers, ...idempotent(protocol) } });
    };
    // One call after the other would wait for as many restarts.
    const cut = RAW_PROTOCOLS.map((protocol) => send(protocol).catch(() => null));
    const begun = async () => {
      const { text } = await engine.call("/execute/replay?task_id=AG-UI");
      const { items } = (await engine.call("/turns?limit=50")).body;
      return text.includes("word5 ") && items.length === RAW_PROTOCOLS.length;
    };
    await until("all have begun", begun);
    const { pid } = await engine.show();
    if (how === "SIGKILL of the daemon") {
      await fleet.daemon.stop("SIGKILL");
      await fleet.restart();
    } else if (how === "kill -9 of the engine") process.kill(pid, "SIGKILL");
    else await fleet.daemon.admin(`/admin/engines/${engine.id}/restart`, { method: "POST", body: { drain_s: 1 } });
    await Promise.all(cut);
    await engine.isIn("running");
    for (const protocol of how === "SIGKILL of the daemon" ? RAW_PROTOCOLS.filter(outlivesDaemon) : RAW_PROTOCOLS) {
      const { status, text } = await send(protocol);
      t.equal(status, 200, protocol);
      for (const said of ["begun", "word149 ", "end"]) t.ok(text.includes(said), `${protocol}: ${said}`);
      const { items } = (await engine.call(`/turns?task_id=${encodeURIComponent(protocol)}`)).body;
      t.match(items, [{ state: "completed" }], protocol);
      t.equal(items.length, 1, protocol);
    }
  });
