import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import * as yaml from "yaml";
import { SETTINGS } from "../../src/contract/settings/settings.ts";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { daemonImage, findDocker } from "../helpers/docker.ts";
import { until } from "../helpers/until.ts";

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly build?: { readonly target: string };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
}

const folder = resolve(import.meta.dirname, "../../deploy");
const text = readFileSync(join(folder, "compose.yaml"), "utf8");
const { services } = yaml.parse(text, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };

t.test("compose.yaml sets only settings that exist, and contains no password", async (t) => {
  const names = Object.keys(services["orchd"]?.environment ?? {});
  t.same(
    names.filter((name) => !Object.hasOwn(SETTINGS, name)),
    [],
  );
  t.same(
    Object.values(services["postgres"]?.environment ?? {}).filter((value) => /password/i.test(value)),
    ["/keys/postgres-password"],
  );
});

t.test("only the daemon is published, on loopback, and it has no rights to lose", async (t) => {
  t.same(
    Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port])),
    [["orchd", "${ORCHD_LISTEN:-127.0.0.1:7700}:7700"]],
  );
  for (const name of ["keys", "orchd"])
    t.match(services[name], { read_only: true, cap_drop: ["ALL"], build: { target: "orchd" } });
  t.same(services["orchd"]?.cap_add, ["SYS_PTRACE"], "which opens pidfd_getfd");
});

t.test("it builds the daemon on the Dockerfile's base", async (t) => {
  const [, base = ""] = /^ARG BASE_IMAGE=(.+)$/m.exec(readFileSync(join(folder, "../Dockerfile"), "utf8")) ?? [];
  t.match(text, `BASE_IMAGE: \${ORCHD_BASE_IMAGE:-${base}}`);
});

const docker = await findDocker();
const compose = [["docker", "compose"], ["docker-compose"]].find(
  ([program = "", ...args]) => spawnSync(program, [...args, "version"]).status === 0,
);
const postgres = process.env["ORCHD_POSTGRES_IMAGE"] ?? "postgres:18-bookworm";

t.test("docker compose up starts orchd, and its data outlive down", { skip: await missing() }, async (t) => {
  t.setTimeout(300_000);
  if ("missing" in docker || compose === undefined) return;
  const { socketPath } = docker;
  const image = await daemonImage(socketPath);
  t.teardown(() => new DockerApi(socketPath).call("DELETE", `/images/${image}`, { query: { force: "true" } }));
  const url = `http://127.0.0.1:${await freePort()}`;
  const env = {
    ...process.env,
    ORCHD_IMAGE: image,
    ORCHD_POSTGRES_IMAGE: postgres,
    ORCHD_LISTEN: url.replace("http://", ""),
    ORCH_PUBLIC_URL: url,
  };
  const [program = "", ...command] = compose;
  const project = `orchd-test-${randomUUID().slice(0, 8)}`;
  const run = async (...args: string[]) => {
    const all = [...command, "--project-name", project, "--project-directory", folder, "--file", "-", ...args];
    const running = promisify(execFile)(program, all, { env });
    // Compose 1 does not know the file's name for the project.
    running.child.stdin?.end(text.replace(/^name: .*$/m, ""));
    return (await running).stdout;
  };
  t.teardown(() => run("down", "--volumes"));
  const up = async () => {
    await run("up", "--detach", "--no-build");
    await until("orchd is ready", async () => (await ask(url, "/ready").catch(() => null))?.status === 200, 120_000);
  };

  await up();
  const orchctl = (...args: string[]) => run("exec", "-T", "orchd", "node", "/opt/orchd/bin/orchctl.js", ...args);
  await orchctl("products", "register", "demo");
  await orchctl("engines", "provision", "alice");
  const alice = async () => JSON.parse(await orchctl("--json", "engines", "show", "alice"));
  const { url: engine } = await alice();
  t.ok(engine.startsWith(`${url}/e/`), engine);
  t.equal((await ask(engine, "/health")).status, 200);
  await run("down");
  await up();
  t.match(await alice(), { user_id: "alice", url: engine });
});

async function missing(): Promise<string | false> {
  if ("missing" in docker) return docker.missing;
  if (compose === undefined) return "no docker compose";
  return new DockerApi(docker.socketPath).call("GET", `/images/${postgres}/json`).then(
    () => false,
    () => `no image ${postgres} on the Docker engine (ORCHD_POSTGRES_IMAGE)`,
  );
}
