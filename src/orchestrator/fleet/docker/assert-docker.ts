import * as z from "zod/mini";
import { hasCode } from "../../../shared/error-code.ts";
import { InvalidSettings } from "../../../shared/environment.ts";
import { DockerApi, DockerError } from "./docker-api.ts";
import type { DockerBackendOptions } from "./docker-backend.ts";

const OLDEST_API = [1, 41] as const;
const version = z.object({ Version: z.string(), ApiVersion: z.string() });
const info = z.object({ Runtimes: z.record(z.string(), z.unknown()) });

/** Throws `InvalidSettings`, with what to change, when no engine could start in a container. */
export async function assertDocker({
  socketPath,
  image,
  runtime,
}: Pick<DockerBackendOptions, "socketPath" | "image" | "runtime">): Promise<void> {
  const api = new DockerApi(socketPath);
  const found = await api.call("GET", "/version").catch((error: unknown) => {
    throw new InvalidSettings([unreachable(socketPath, error)]);
  });
  const { Version, ApiVersion } = z.parse(version, found);
  const [major = 0, minor = 0] = ApiVersion.split(".").map(Number);
  if (major < OLDEST_API[0] || (major === OLDEST_API[0] && minor < OLDEST_API[1]))
    throw new InvalidSettings([`DOCKER_HOST: expected Docker 20.10 or newer, got ${Version}`]);
  const problems = [await imageProblem(api, image), runtime === null ? null : await runtimeProblem(api, runtime)];
  const all = problems.filter((problem) => problem !== null);
  if (all.length > 0) throw new InvalidSettings(all);
}

function unreachable(socketPath: string, error: unknown): string {
  const { cause } = error as Error;
  if (hasCode(cause, "EACCES"))
    return `DOCKER_HOST: ${socketPath} is closed to this user; add the user to the group docker, and restart orchd`;
  return `DOCKER_HOST: no Docker engine answers at ${socketPath}; start it, or set DOCKER_HOST to its socket`;
}

async function imageProblem(api: DockerApi, image: string): Promise<string | null> {
  try {
    await api.call("GET", `/images/${image}/json`);
    return null;
  } catch (error) {
    if (!(error instanceof DockerError)) throw error;
    return `ORCH_DOCKER_IMAGE: the image ${image} is not on this Docker engine; build it as docs/docker.md says`;
  }
}

async function runtimeProblem(api: DockerApi, runtime: string): Promise<string | null> {
  const runtimes = Object.keys(z.parse(info, await api.call("GET", "/info")).Runtimes);
  return runtimes.includes(runtime)
    ? null
    : `ORCH_DOCKER_RUNTIME: expected a runtime of this Docker engine (${runtimes.join(", ")}), got "${runtime}"`;
}
