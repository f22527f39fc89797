import { once } from "node:events";
import { chmodSync, chownSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Containers } from "../../src/orchestrator/fleet/docker/containers.ts";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { daemonImage, engineImage, findDocker } from "../helpers/docker.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabase } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const USER = 65_532;
const ADMIN_KEY = "admin-key-of-the-image-test";

t.setTimeout(600_000);
const docker = await findDocker();
const skip = "missing" in docker && docker.missing;

t.test("the daemon in a container starts engines in containers beside its own", { skip }, async (t) => {
  if ("missing" in docker) return;
  const { socketPath } = docker;
  const api = new DockerApi(socketPath);
  const [image, engines] = [await daemonImage(socketPath), await engineImage(socketPath)];
  t.teardown(async () => {
    for (const name of [image, engines]) await api.call("DELETE", `/images/${name}`, { query: { force: "true" } });
  });
  const dataDir = freshFolder(t);
  chmodSync(dataDir, 0o711);
  chownSync(dataDir, USER, USER);
  const port = await freePort();
  const { Id: id } = (await api.call("POST", "/containers/create", {
    body: {
      Image: image,
      Env: Object.entries({
        ORCH_ADMIN_KEY: ADMIN_KEY,
        ORCH_BACKEND: "docker",
        ORCH_DATA_DIR: dataDir,
        ORCH_DOCKER_IMAGE: engines,
        ORCH_HOST: "127.0.0.1",
        ORCH_PORT: port,
        ORCH_PUBLIC_URL: `http://127.0.0.1:${port}`,
        DATABASE_URL: await databaseByTcp(t),
        DOCKER_HOST: `unix://${socketPath}`,
      }).map(([name, value]) => `${name}=${value}`),
      HostConfig: {
        NetworkMode: "host",
        ReadonlyRootfs: true,
        Init: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        GroupAdd: [String(statSync(socketPath).gid)],
        Tmpfs: { "/tmp": "mode=1777" },
        Binds: [`${dataDir}:${dataDir}`, `${socketPath}:${socketPath}`],
      },
    },
  })) as { Id: string };
  t.teardown(() => api.call("DELETE", `/containers/${id}`, { query: { force: "true", v: "true" } }));
  await api.call("POST", `/containers/${id}/start`);
  const url = `http://127.0.0.1:${port}`;
  const state = async () => ((await api.call("GET", `/containers/${id}/json`)) as { State: ContainerState }).State;
  await until(
    "the daemon is ready",
    async () => {
      const { Running, ExitCode } = await state();
      if (!Running) throw new Error(`the daemon's container ended with ${ExitCode}`);
      return (await ask(url, "/ready").catch(() => null))?.status === 200;
    },
    60_000,
  );
  const admin = (path: string, method: string, body?: object) =>
    ask(url, path, { method, headers: { "x-admin-key": ADMIN_KEY }, ...(body && { body }) });
  const { body: product } = await admin("/products/register", "POST", { slug: "demo" });
  t.teardown(() => admin("/products/demo?force=true", "DELETE"));
  const platform = { "x-platform-key": product.platform_api_key as string };
  const call = { method: "POST", headers: platform, body: { user_id: "ann" } };
  const { status, body: engine } = await ask(url, "/engines/provision", call);
  if (status !== 201) throw new Error(JSON.stringify(engine));

  await t.test("an engine answers through the daemon", async (t) => {
    const answer = await fetch(`${engine.url}/execute`, {
      method: "POST",
      headers: { "x-engine-key": engine.engine_api_key, "content-type": "application/json" },
      body: JSON.stringify({ task_id: "first", message: "/say hello" }),
      signal: AbortSignal.timeout(30_000),
    });
    t.match(await answer.text(), /completed/);
    const containers = new Containers(api, readFileSync(join(dataDir, "host-id"), "utf8").trim());
    t.equal((await containers.list()).length, 1);
  });

  await t.test("the daemon runs as no user of the host, and its container reports its health", async (t) => {
    t.match(await api.call("GET", `/containers/${id}/top`), { Processes: [[String(USER)], [String(USER)]] });
    await until("a health check", async () => (await state()).Health.Status === "healthy", 60_000);
    t.equal(statSync(join(dataDir, "host-id")).uid, USER);
  });

  await t.test("the images say what they are, and hold no setting of this host", async (t) => {
    for (const [name, title] of [[image, "orchd"] as const, [engines, "orchd-engine"] as const]) {
      const inspected = (await api.call("GET", `/images/${name}/json`)) as { readonly Size: number };
      t.comment(`${title}: ${Math.round(inspected.Size / 1e6)} MB`);
      t.match(inspected, {
        Config: {
          User: "65532:65532",
          Labels: { "org.opencontainers.image.title": title, "org.opencontainers.image.version": "test" },
        },
      });
      t.notMatch(JSON.stringify(inspected), /KEY|PASSWORD|DATABASE_URL/);
    }
  });
});

interface ContainerState {
  readonly Running: boolean;
  readonly ExitCode: number;
  readonly Health: { readonly Status: string };
}

/** The address of a new database, which a container of the host's network reaches. */
async function databaseByTcp(t: Test): Promise<string> {
  const { host, port, user, password, database } = await freshDatabase(t);
  const server = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const])
      socket.on("error", () => other.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return `postgres://${user}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`;
}
