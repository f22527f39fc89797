import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import t, { type Test } from "tap";
import { KubeApi } from "../../../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { PodCatalogs } from "../../../../src/orchestrator/fleet/kubernetes/pod-catalogs.ts";
import { catalogFolders } from "../../../helpers/fleet.ts";

const DAY_MS = 24 * 3_600_000;
const DIGEST = "a".repeat(64);
const OTHER = "b".repeat(64);

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** As much of the API as catalogs need. Secrets end with their owner, and nobody may read them. */
async function fakeApi(t: Test) {
  const objects = new Map<string, Stored>();
  let versions = 0;
  const keep = (path: string, object: Stored) => {
    object.metadata.resourceVersion = String(++versions);
    objects.set(path, object);
    return { status: 200, body: object };
  };
  const failure = (status: number) => ({ status, body: { reason: String(status) } });
  const answer = (method: string, url: URL, sent: Stored) => {
    const path = url.pathname;
    const found = objects.get(path);
    if (path.includes("secrets") && method !== "POST") return failure(403);
    if (method === "POST") {
      const own = `${path}/${sent.metadata.name}`;
      if (objects.has(own)) return failure(409);
      return keep(own, { ...sent, metadata: { ...sent.metadata, uid: `uid-${++versions}` } });
    }
    if (method === "GET") {
      const wanted = (url.searchParams.get("labelSelector") ?? "").split(",").map((one) => one.split("="));
      const items = [...objects]
        .filter(([name]) => name.startsWith(`${path}/`))
        .map(([, object]) => object)
        .filter(({ metadata }) => wanted.every(([name = "", value]) => metadata.labels[name] === value));
      return { status: 200, body: { metadata: {}, items } };
    }
    if (found === undefined) return failure(404);
    if (method === "PATCH") {
      const { data, metadata } = sent;
      if (metadata.uid !== found.metadata.uid) return failure(409);
      const annotations = { ...found.metadata.annotations, ...metadata.annotations };
      return keep(path, { ...found, data: { ...found.data, ...data }, metadata: { ...found.metadata, annotations } });
    }
    const { preconditions } = sent as unknown as { readonly preconditions: Readonly<Record<string, string>> };
    if (preconditions["resourceVersion"] !== found.metadata.resourceVersion) return failure(409);
    for (const [name, { metadata }] of objects)
      if (name === path || metadata.ownerReferences?.[0]?.uid === found.metadata.uid) objects.delete(name);
    return { status: 200, body: {} };
  };
  const server = createServer(async (request, response) => {
    const sent = request.method === "GET" ? null : await json(request);
    const { status, body } = answer(request.method ?? "", new URL(request.url ?? "", "http://api"), sent as Stored);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const api = new KubeApi({ server: `http://127.0.0.1:${port}`, namespace: "n", tls: {}, token: async () => null });
  const daemon = (deployment = "host_1") =>
    new PodCatalogs(api, { namespace: "n", deployment, checker: catalogFolders("/nonexistent") });
  const of = (kind: string) => [...objects].filter(([name]) => name.includes(kind)).map(([, object]) => object);
  const contentOf = (parts: readonly string[]) =>
    Buffer.concat(
      parts.map((name) =>
        Buffer.from(objects.get(`/api/v1/namespaces/n/secrets/${name}`)?.data?.["part"] ?? "", "base64"),
      ),
    );
  return { daemon, of, contentOf };
}

const never = () => Promise.reject(new Error("it was loaded"));

t.test("an archive is cut into immutable secrets, and read once", async (t) => {
  const { daemon, of, contentOf } = await fakeApi(t);
  const archive = randomBytes(2_000_000);
  const catalogs = daemon();
  t.equal(await catalogs.partsOf("p", DIGEST), null);
  await Promise.all([catalogs.ensure("p", DIGEST, async () => archive), catalogs.ensure("p", DIGEST, never)]);
  await catalogs.ensure("p", DIGEST, never);
  const parts = (await catalogs.partsOf("p", DIGEST)) ?? [];
  t.equal(parts.length, 3);
  t.ok(contentOf(parts).equals(archive));
  for (const secret of of("secrets")) t.match(secret, { immutable: true, type: "Opaque" });
  t.same(await daemon().partsOf("p", DIGEST), parts, "for another daemon of the deployment too");
  t.equal(await daemon("host_2").partsOf("p", DIGEST), null, "another deployment does not find the parts");
});

t.test("two daemons that place different archives of the same files mix no parts", async (t) => {
  const { daemon, contentOf } = await fakeApi(t);
  const archives = [randomBytes(1_000_000), randomBytes(1_000_000)];
  const daemons = [daemon(), daemon()];
  await Promise.all(daemons.map((one, at) => one.ensure("p", DIGEST, async () => archives[at] ?? Buffer.of())));
  const content = contentOf((await daemon().partsOf("p", DIGEST)) ?? []);
  t.ok(archives.some((archive) => archive.equals(content)));
});

t.test("catalogs unused for a day are collected, and those of a product are erased", async (t) => {
  const { daemon, of } = await fakeApi(t);
  const catalogs = daemon();
  const load = async () => Buffer.from("archive");
  for (const [product, digest] of [
    ["p", DIGEST],
    ["p", OTHER],
    ["q", DIGEST],
  ] as const)
    await catalogs.ensure(product, digest, load);
  const inUse = new Map([
    ["p", new Set([DIGEST])],
    ["q", new Set([DIGEST])],
  ]);
  await catalogs.collect(inUse, Date.now() + DAY_MS / 2);
  t.equal(of("configmaps").length, 3, "the unused one is not old enough");
  await catalogs.collect(inUse, Date.now() + DAY_MS + 1000);
  t.same([of("configmaps").length, of("secrets").length], [2, 2]);
  t.equal(await catalogs.partsOf("p", OTHER), null);
  await catalogs.collect(new Map(), Date.now() + 2 * DAY_MS);
  t.equal(of("configmaps").length, 2, "a day counts from the last use");
  await catalogs.erase("p");
  t.match(of("configmaps"), [{ metadata: { labels: { "orchd.product": "q" } } }]);
  await catalogs.ensure("p", DIGEST, load);
  t.not(await catalogs.partsOf("p", DIGEST), null, "the catalog is created again on demand");
});

t.test("a version that is in doubt is made sure of again", async (t) => {
  const { daemon } = await fakeApi(t);
  const catalogs = daemon();
  await catalogs.ensure("p", DIGEST, async () => Buffer.from("archive"));
  catalogs.invalidate("p", DIGEST);
  await t.rejects(catalogs.ensure("p", DIGEST, never), /it was loaded/);
  await catalogs.ensure("p", DIGEST, async () => Buffer.from("archive"));
});
