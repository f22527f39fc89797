import { randomUUID } from "node:crypto";
import { json } from "node:stream/consumers";
import t, { type Test } from "tap";
import { type Claim, claimNames, ownerOf } from "../../../../src/orchestrator/fleet/kubernetes/claim-spec.ts";
import { createClaimStorage } from "../../../../src/orchestrator/fleet/kubernetes/claim-storage.ts";
import { Claims } from "../../../../src/orchestrator/fleet/kubernetes/claims.ts";
import { KubeApi } from "../../../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { hash } from "../../../../src/orchestrator/fleet/kubernetes/names.ts";
import { listen } from "../../../../src/shared/http/http-server.ts";

const OPTIONS = { namespace: "agents", deployment: "d", storageClass: null, volumeSize: "1Gi" };
const unread = { archive: () => Promise.reject(new Error("unread")), uncollected: () => Promise.reject(new Error()) };
const engineOf = (user: string) => ({ id: `eng_${randomUUID()}`, product_id: "prd_1", user_id: user });
type Metadata = Claim["metadata"];

/** Whether labels satisfy a selector of `name=value` and `!name`. */
const matches = (labels: Metadata["labels"], selector: string): boolean =>
  selector.split(",").every((part) => {
    const [name = "", value] = part.split("=");
    return name.startsWith("!") ? labels[name.slice(1)] === undefined : labels[name] === value;
  });

/** The claims of an API server. Those that are in use stay until `release`, as while a pod mounts them. */
async function startApi(t: Test) {
  const claims = new Map<string, Metadata>();
  const inUse = new Set<string>();
  const lists: string[] = [];
  let versions = 0;
  const add = (name: string, { labels = {}, annotations = {} }: Partial<Metadata>): Metadata => {
    const [resourceVersion, creationTimestamp] = [String(++versions), new Date().toISOString()];
    const made = { name, uid: randomUUID(), resourceVersion, creationTimestamp, labels, annotations };
    claims.set(name, made);
    return made;
  };
  const patch = (found: Metadata, { labels = {}, annotations = {} }: Partial<Metadata>) => {
    const merged = Object.entries({ ...found.labels, ...labels }).filter(([, value]) => value !== null);
    claims.set(found.name, {
      ...found,
      labels: Object.fromEntries(merged),
      annotations: { ...found.annotations, ...annotations },
      resourceVersion: String(++versions),
    });
  };
  const server = await listen(
    async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://api");
      const name = pathname.split("/persistentvolumeclaims/")[1];
      const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
      const body = request.method === "GET" ? {} : ((await json(request)) as { metadata?: Metadata });
      const found = claims.get(name ?? body.metadata?.name ?? "");
      if (request.method === "POST" && found !== undefined) return answer(409, { reason: "AlreadyExists" });
      if (request.method === "POST" && body.metadata)
        return answer(201, { metadata: add(body.metadata.name, body.metadata) });
      if (name === undefined) {
        const selector = searchParams.get("labelSelector") ?? "";
        lists.push(selector);
        const items = [...claims.values()].filter(({ labels }) => matches(labels, selector));
        return answer(200, { metadata: {}, items: items.map((metadata) => ({ metadata })) });
      }
      if (found === undefined) return answer(404, { reason: "NotFound" });
      if (request.method === "PATCH" && body.metadata) patch(found, body.metadata);
      if (request.method === "DELETE" && inUse.has(name)) claims.set(name, { ...found, deletionTimestamp: "now" });
      else if (request.method === "DELETE") claims.delete(name);
      return answer(200, { metadata: claims.get(name) ?? found });
    },
    "127.0.0.1",
    0,
  );
  t.teardown(() => server.close(0));
  const access = { server: `http://127.0.0.1:${server.port}`, namespace: null, tls: {}, token: async () => null };
  const api = new KubeApi(access);
  return { claims, inUse, lists, add, open: () => createClaimStorage(new Claims(api, OPTIONS), unread) };
}

t.test("claims are found by the names of their users, whatever happens to them", async (t) => {
  const { claims, lists, open } = await startApi(t);
  const storage = open();
  const [first, second] = [engineOf("ann"), engineOf("ann")];
  await storage.prepare(engineOf("bob"));
  await storage.prepare(first);
  t.equal(await storage.isRestored(first), false);
  await storage.keep(first);
  t.equal(await storage.hasKept(first), true);
  await storage.prepare(second);
  t.same([await storage.isRestored(second), await storage.hasKept(first)], [true, false]);
  await storage.settle(second);
  t.equal(await storage.isRestored(second), false);
  t.equal(claims.size, 2, "ann's volume is the same one");
  await storage.erase(second);
  t.equal(claims.size, 1);
  t.same(lists, ["orchd.deployment=d,!orchd.named"], "one list, of the claims of earlier versions");
});

t.test("a claim that a pod still mounts has its name, and the next one another", async (t) => {
  const { claims, inUse, open } = await startApi(t);
  const storage = open();
  const engines = Array.from({ length: 5 }, () => engineOf("ann"));
  const names = claimNames(OPTIONS.deployment, ownerOf(engineOf("ann")));
  for (const name of names) inUse.add(name);
  for (const engine of engines.slice(0, 4)) {
    await storage.prepare(engine);
    await storage.erase(engine);
  }
  t.same([...claims.keys()].toSorted(), names.toSorted());
  const [last] = engines.slice(4);
  if (last === undefined) throw new Error("no engine is left");
  await t.rejects(storage.prepare(last), { name: "LaunchFailed" }, "until one of them is gone");
  claims.delete(names[2] ?? "");
  await storage.prepare(last);
  t.match(claims.get(names[2] ?? "")?.labels, { "orchd.engine": last.id });
  await storage.keep(last);
  t.equal(await storage.hasKept(last), true);
});

t.test("claims of earlier versions are found too, by one list", async (t) => {
  const { claims, lists, add, open } = await startApi(t);
  const user = (id: string) => ({ "orchd.product": "prd_1", "orchd.user": hash(id, 40) });
  const deployment = { "orchd.deployment": "d" };
  const [ann, bob, next] = [engineOf("ann"), engineOf("bob"), engineOf("cat")];
  add("earlier-ann", { labels: { ...deployment, "orchd.engine": ann.id, ...user("ann") } });
  // Made by a start, which did not know its user.
  add("earlier-bob", { labels: { ...deployment, "orchd.engine": bob.id } });
  add("earlier-cat", { labels: { ...deployment, ...user("cat") }, annotations: { "orchd.user-id": "cat" } });
  const storage = open();
  await storage.prepare(next);
  t.equal(await storage.isRestored(next), true);
  await storage.settle(next);
  await storage.keep(bob);
  t.equal(await storage.hasKept(bob), true, "also one that was made without its user");
  t.equal(await storage.hasKept(ann), false);
  await storage.erase(ann);
  await storage.eraseKept(bob);
  t.same([...claims.keys()], ["earlier-cat"]);
  t.equal(claims.get("earlier-cat")?.labels["orchd.engine"], next.id);
  t.equal(lists.length, 1);
});
