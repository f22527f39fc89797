import type { ServerResponse } from "node:http";
import t, { type Test } from "tap";
import { KubeApi } from "../../../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { PodWatch } from "../../../../src/orchestrator/fleet/kubernetes/pod-watch.ts";
import { Pods } from "../../../../src/orchestrator/fleet/kubernetes/pods.ts";
import { listen } from "../../../../src/shared/http/http-server.ts";
import { until } from "../../../helpers/until.ts";

const pod = (version: string, phase = "Running") => ({
  metadata: { name: "one", uid: "uid-1", resourceVersion: version },
  spec: {},
  status: { phase },
});

/** An API server with one pod. `watches`: the resource version that each watch began from, and its open response. */
async function startApi(t: Test) {
  let lists = 0;
  const watches: { readonly from: string; readonly response: ServerResponse }[] = [];
  const server = await listen(
    (request, response) => {
      const query = new URL(request.url ?? "", "http://api").searchParams;
      if (query.get("watch") !== null) {
        watches.push({ from: query.get("resourceVersion") ?? "", response });
        response.writeHead(200).flushHeaders();
        return;
      }
      lists++;
      const items = [pod(String(lists * 100))];
      response.end(JSON.stringify({ metadata: { resourceVersion: String(lists * 100) }, items }));
    },
    "127.0.0.1",
    0,
  );
  t.teardown(() => server.close(0));
  const access = { server: `http://127.0.0.1:${server.port}`, namespace: null, tls: {}, token: async () => null };
  const api = new KubeApi(access);
  const watch = new PodWatch(api, new Pods(api, { namespace: "agents", deployment: "d" }));
  const send = (type: string, object: object) => {
    watches.at(-1)?.response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const opened = (count: number) => until(`watch ${count} is open`, async () => watches.length === count);
  return { watch, watches, send, opened, lists: () => lists };
}

t.test("a watch that ends is continued from its last event or bookmark, without a list", async (t) => {
  const { watch, watches, send, opened, lists } = await startApi(t);
  using changes = watch.follow("uid-1");
  await opened(1);
  t.equal(watches[0]?.from, "100", "the first one begins at the list");
  await changes.next();
  send("MODIFIED", pod("105", "Failed"));
  await changes.next();
  t.equal(changes.latest?.status.phase, "Failed");
  watches[0]?.response.end();
  await opened(2);
  t.equal(watches[1]?.from, "105");
  send("BOOKMARK", { metadata: { resourceVersion: "120" } });
  watches[1]?.response.end();
  await opened(3);
  t.equal(watches[2]?.from, "120");
  t.equal(lists(), 1);
});

t.test("a cut connection continues too, and what happened meanwhile arrives", async (t) => {
  const { watch, watches, send, opened, lists } = await startApi(t);
  using changes = watch.follow("uid-1");
  await opened(1);
  await changes.next();
  watches[0]?.response.destroy();
  await opened(2);
  t.equal(watches[1]?.from, "100");
  send("DELETED", pod("107", "Failed"));
  await changes.next();
  t.equal(changes.latest?.status.phase, "Failed");
  t.equal(lists(), 1);
});

t.test("an expired resource version is followed by a list", async (t) => {
  const { watch, watches, send, opened, lists } = await startApi(t);
  using changes = watch.follow("uid-1");
  await opened(1);
  await changes.next();
  send("ERROR", { code: 410, reason: "Expired" });
  await opened(2);
  t.equal(lists(), 2);
  t.equal(watches[1]?.from, "200");
});

t.test("an event that cannot be read is not asked for again and again", async (t) => {
  const { watch, watches, send, opened, lists } = await startApi(t);
  using _changes = watch.follow("uid-1");
  await opened(1);
  send("MODIFIED", { metadata: {} });
  await opened(2);
  t.equal(watches[1]?.from, "100");
  send("MODIFIED", { metadata: {} });
  await opened(3);
  t.equal(lists(), 2, "the second time, the pods are listed");
  t.equal(watches[2]?.from, "200");
});
