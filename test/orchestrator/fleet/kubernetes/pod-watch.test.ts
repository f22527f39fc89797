import type { ServerResponse } from "node:http";
import t, { type Test } from "tap";
import { KubeApi } from "../../../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { KnownPods } from "../../../../src/orchestrator/fleet/kubernetes/known-pods.ts";
import { podObject } from "../../../../src/orchestrator/fleet/kubernetes/pod-state.ts";
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
  return { api, watch, watches, send, opened, lists: () => lists };
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

t.test("all pods are known by an open watch, and listed while there is none", async (t) => {
  const { api, watch, watches, send, opened, lists } = await startApi(t);
  const known = new KnownPods(new Pods(api, { namespace: "agents", deployment: "d" }), watch);
  const names = async () => (await known.all()).engines.map(({ metadata }) => metadata.name);
  t.same([await names(), lists()], [["one"], 1], "nothing is followed");
  using changes = watch.follow("uid-1");
  await changes.next();
  await opened(1);
  await until("the watch is open", async () => watch.current !== null);
  t.same([await names(), lists()], [["one"], 2], "the list of the watch is the last one");
  const second = { ...pod("205"), metadata: { name: "two", uid: "uid-2", labels: { "orchd.engine": "eng_2" } } };
  known.note(podObject.parse(second));
  t.same(await names(), ["one", "two"], "one that this daemon has made is known at once");
  t.same(
    (await known.ofEngine("eng_2")).engines.map(({ metadata }) => metadata.uid),
    ["uid-2"],
  );
  send("DELETED", { ...second, metadata: { ...second.metadata, resourceVersion: "206" } });
  await until("it is gone", async () => (await names()).length === 1);
  t.equal(lists(), 2, "events are enough");
  watches[0]?.response.destroy();
  await until("the watch is not open", async () => watch.current === null);
  t.same(await names(), ["one"]);
  t.equal(lists(), 3, "in doubt the API is asked");
});

t.test("pods are not known by a watch that nobody needs any more", async (t) => {
  const { watch, opened } = await startApi(t);
  const changes = watch.follow("uid-1");
  await opened(1);
  await until("the watch is open", async () => watch.current !== null);
  changes[Symbol.dispose]();
  t.equal(watch.current, null);
});
