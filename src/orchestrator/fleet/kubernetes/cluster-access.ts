import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import * as z from "zod/mini";
import { InvalidSettings } from "../../../shared/environment.ts";
import { unlessMissing } from "../../../shared/files.ts";

/** Where a service account is mounted in a pod. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const MAX_KUBECONFIG_BYTES = 1_048_576;

/** The address and credentials of a cluster's API. */
export interface ClusterAccess {
  /** `https://host:port`, or `http:` for a proxy on this host. */
  readonly server: string;
  /** The namespace of the kubeconfig or service account. Null for none. */
  readonly namespace: string | null;
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** A bearer token, read again for each call because tokens of service accounts expire. Null without one. */
  readonly token: () => Promise<string | null>;
}

const text = z.optional(z.string());
const name = z.string();
const kubeconfig = z.object({
  "current-context": z.string(),
  contexts: z.array(z.object({ name, context: z.object({ cluster: name, user: text, namespace: text }) })),
  clusters: z.array(
    z.object({
      name,
      cluster: z.object({
        server: name,
        "certificate-authority": text,
        "certificate-authority-data": text,
        "insecure-skip-tls-verify": z.optional(z.boolean()),
        "tls-server-name": text,
      }),
    }),
  ),
  users: z.array(
    z.object({
      name,
      user: z.object({
        token: text,
        tokenFile: text,
        "client-certificate": text,
        "client-certificate-data": text,
        "client-key": text,
        "client-key-data": text,
        exec: z.optional(z.unknown()),
      }),
    }),
  ),
});

/** What Kubernetes tells each pod in `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`. */
export interface ServiceAddress {
  /** Null outside of a pod. */
  readonly host: string | null;
  readonly port: string;
}

/** From a kubeconfig file, or from the service account of the pod that this daemon runs in. Throws `InvalidSettings`. */
export const findCluster = (path: string | null, service: ServiceAddress): Promise<ClusterAccess> =>
  path === null ? fromServiceAccount(service) : fromKubeconfig(path);

async function fromServiceAccount({ host, port }: ServiceAddress): Promise<ClusterAccess> {
  const ca = await unlessMissing(readFile(`${SERVICE_ACCOUNT}/ca.crt`, "utf8"));
  if (host === null || ca === null)
    throw new InvalidSettings([
      "KUBECONFIG: expected the path of a kubeconfig file, because orchd runs in no pod with a service account",
    ]);
  const namespace = await unlessMissing(readFile(`${SERVICE_ACCOUNT}/namespace`, "utf8"));
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: namespace?.trim() || null,
    tls: { ca },
    token: async () => (await readFile(`${SERVICE_ACCOUNT}/token`, "utf8")).trim(),
  };
}

async function fromKubeconfig(path: string): Promise<ClusterAccess> {
  const file = resolve(path);
  const config = parseKubeconfig(path, await readConfig(path, file));
  const at = (name: string | undefined) => (name === undefined ? undefined : resolve(dirname(file), name));
  const content = async (data: string | undefined, name: string | undefined): Promise<string | undefined> => {
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    const found = at(name);
    return found === undefined ? undefined : readNamed(path, found);
  };
  const { cluster, user, namespace } = config;
  const [ca, cert, key] = await Promise.all([
    content(cluster["certificate-authority-data"], cluster["certificate-authority"]),
    content(user["client-certificate-data"], user["client-certificate"]),
    content(user["client-key-data"], user["client-key"]),
  ]);
  const tokenFile = at(user.tokenFile);
  return {
    server: cluster.server.replace(/\/+$/, ""),
    namespace,
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(cluster["tls-server-name"] !== undefined && { servername: cluster["tls-server-name"] }),
      ...(cluster["insecure-skip-tls-verify"] === true && { rejectUnauthorized: false }),
    },
    token: async () => (tokenFile === undefined ? (user.token ?? null) : (await readFile(tokenFile, "utf8")).trim()),
  };
}

async function readConfig(path: string, file: string): Promise<unknown> {
  const content = await readNamed(path, file);
  if (content.length > MAX_KUBECONFIG_BYTES) throw invalid(path, "it is longer than 1 MiB");
  // Loaded here, since other backends do not need it.
  const { parse } = await import("yaml");
  try {
    return parse(content);
  } catch (error) {
    throw invalid(path, `it is no YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

async function readNamed(path: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw invalid(path, `${file} cannot be read: ${(error as Error).message}`);
  }
}

function parseKubeconfig(path: string, content: unknown) {
  const read = z.safeParse(kubeconfig, content);
  if (!read.success) throw invalid(path, `its ${read.error.issues[0]?.path.join(".")} is missing or has another form`);
  const { contexts, clusters, users, "current-context": current } = read.data;
  const context = contexts.find(({ name }) => name === current)?.context;
  if (context === undefined) throw invalid(path, `it has no context "${current}"`);
  const cluster = clusters.find(({ name }) => name === context.cluster)?.cluster;
  if (cluster === undefined) throw invalid(path, `it has no cluster "${context.cluster}"`);
  if (!URL.canParse(cluster.server)) throw invalid(path, "the server of its cluster is no address");
  const user = users.find(({ name }) => name === context.user)?.user;
  if (user === undefined) throw invalid(path, `it has no user "${context.user}"`);
  if (user.exec !== undefined)
    throw invalid(path, "its user takes a program to log in; use one with a token or a certificate");
  return { cluster, user, namespace: context.namespace ?? null };
}

const invalid = (path: string, problem: string): InvalidSettings =>
  new InvalidSettings([`KUBECONFIG: ${path}: ${problem}`]);
