import { networkInterfaces } from "node:os";
import t from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { forward } from "../helpers/cluster-network.ts";
import type { Daemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { testAuthority } from "../helpers/secret-host.ts";
import { missingForToolImage } from "../helpers/tool-image.ts";
import { until } from "../helpers/until.ts";
import { secretCases } from "./secret-cases.ts";

t.setTimeout(240_000);
const TAKEOVER_MS = 30_000;
/** Programs reach loopback without their proxy. */
const host = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const missing = missingForToolImage() ?? (host === undefined ? "a network besides loopback" : null);

t.test("through a replica that does not lead", { skip: missing ?? false }, async (t) => {
  if (host === undefined) return;
  const authority = testAuthority(freshFolder(t));
  let follower: Daemon | undefined;
  // Browsers, products and readers of keys know no other daemon.
  const port = await forward(t, {}, () => follower && { host: "127.0.0.1", port: Number(new URL(follower.url).port) });
  const publicUrl = `http://127.0.0.1:${port}`;
  const env = { NODE_EXTRA_CA_CERTS: authority.certificates, ORCH_PUBLIC_URL: publicUrl };
  const replicas = await openReplicas(t, { products: ["acme"], env });
  const leader = await replicas.start();
  follower = await replicas.start();
  const role = async (daemon: Daemon) => (await daemon.admin("/ready")).body.role as string;
  t.same([await role(leader), await role(follower)], ["leader", "follower"]);
  const called = follower;
  const { body: registered } = await called.admin("/products/register", { method: "POST", body: { slug: "acme" } });
  const key = registered.platform_api_key as string;
  const platform = (method: string, path: string, body?: object) =>
    called.platform(key, path, { method, ...(body !== undefined && { body }) });
  const { status, body: engine, text } = await platform("POST", "/engines/provision", { user_id: "ann" });
  if (status !== 201) throw new Error(text);
  const { script } = await secretCases(t, {
    base: publicUrl,
    issuer: publicUrl,
    host,
    authority,
    user: "ann",
    engine: { id: engine.id, key: engine.engine_api_key },
    platform,
    setPolicy: (policy) => called.admin("/products/acme/policy", { method: "PUT", body: policy }),
    privateHosts: [],
    admin: (path) => called.admin(path),
    async push(files) {
      const pushed = await called.platform(key, "/catalog", { method: "PUT", body: await catalogArchive(files) });
      if (pushed.status !== 200) throw new Error(pushed.text);
    },
  });

  await t.test("a secret works on when the leader was killed, and the follower leads", async () => {
    leader.process.kill("SIGKILL");
    await until("the follower leads", async () => (await role(called)) === "leader", TAKEOVER_MS);
    await until("it works", async () => (await script('curl -sS "$API/api"')).includes("welcome"));
  });
});
