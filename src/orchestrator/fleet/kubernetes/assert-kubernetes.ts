import * as z from "zod/mini";
import { InvalidSettings } from "../../../shared/environment.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { KubeApi } from "./kube-api.ts";
import { isStatus, reasonOf } from "./kube-errors.ts";

const OLDEST_MINOR = 20;
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
const STORAGE_CLASSES = "/apis/storage.k8s.io/v1/storageclasses";

/** The permissions that the backend needs in its namespace, as in the role of `docs/kubernetes.md`. */
const NEEDED_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  pods: ["create", "get", "list", "watch", "delete"],
  "pods/log": ["get"],
  secrets: ["create", "patch"],
  configmaps: ["create", "list", "patch", "delete"],
  persistentvolumeclaims: ["create", "get", "list", "patch", "delete"],
};

const version = z.object({ major: z.string(), minor: z.string(), gitVersion: z.string() });
const review = z.object({ status: z.object({ allowed: z.boolean() }) });
const classes = z.object({
  metadata: z.object({ annotations: z._default(z.record(z.string(), z.string()), {}) }),
});

interface ClusterSettings {
  readonly access: ClusterAccess;
  readonly namespace: string;
  readonly storageClass: string | null;
  readonly runtimeClass: string | null;
}

/** Throws `InvalidSettings`, with what to change, when no engine could start in a pod. */
export async function assertKubernetes({ access, namespace, ...settings }: ClusterSettings): Promise<void> {
  const api = new KubeApi(access);
  const found = await api.call("GET", "/version").catch((error: unknown) => {
    throw new InvalidSettings([unreachable(access.server, error)]);
  });
  const { major, minor, gitVersion } = z.parse(version, found);
  if (major === "1" && Number.parseInt(minor, 10) < OLDEST_MINOR)
    throw new InvalidSettings([`KUBECONFIG: expected Kubernetes 1.${OLDEST_MINOR} or newer, got ${gitVersion}`]);
  const missing = await namespaceProblem(api, namespace);
  // The other checks need an existing namespace.
  const problems =
    missing === null
      ? [
          await rightsProblem(api, namespace),
          await storageProblem(api, settings.storageClass),
          await runtimeProblem(api, settings.runtimeClass),
        ]
      : [missing];
  const all = problems.filter((problem) => problem !== null);
  if (all.length > 0) throw new InvalidSettings(all);
}

function unreachable(server: string, error: unknown): string {
  if (isStatus(error, 401, 403)) return `KUBECONFIG: the API at ${server} does not accept orchd's token or certificate`;
  const why = error instanceof Error ? error.message : String(error);
  return `KUBECONFIG: ${server}: ${why}; start the cluster, or set KUBECONFIG to a file that names its API`;
}

/** Whether an object exists. Without the permission to read it, it counts as existing. */
async function exists(api: KubeApi, path: string): Promise<boolean> {
  try {
    await api.call("GET", path);
    return true;
  } catch (error) {
    if (isStatus(error, 404)) return false;
    if (isStatus(error, 403)) return true;
    throw new InvalidSettings([`KUBECONFIG: ${reasonOf(error)}`]);
  }
}

async function namespaceProblem(api: KubeApi, namespace: string): Promise<string | null> {
  if (await exists(api, `/api/v1/namespaces/${namespace}`)) return null;
  return `ORCH_KUBERNETES_NAMESPACE: the namespace ${namespace} does not exist; create it: kubectl create namespace ${namespace}`;
}

async function rightsProblem(api: KubeApi, namespace: string): Promise<string | null> {
  const asked = Object.entries(NEEDED_RIGHTS).flatMap(([resource, verbs]) =>
    verbs.map(async (verb) => ((await isAllowed(api, namespace, resource, verb)) ? [] : [`${verb} ${resource}`])),
  );
  const missing = (await Promise.all(asked)).flat();
  if (missing.length === 0) return null;
  return `KUBECONFIG: orchd may not ${missing.join(", ")} in the namespace ${namespace}; grant it the role of docs/kubernetes.md`;
}

async function isAllowed(api: KubeApi, namespace: string, what: string, verb: string): Promise<boolean> {
  const [resource, subresource] = what.split("/");
  const resourceAttributes = { namespace, verb, resource, ...(subresource !== undefined && { subresource }) };
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  const found = await api.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { body });
  return z.parse(review, found).status.allowed;
}

async function storageProblem(api: KubeApi, name: string | null): Promise<string | null> {
  if (name !== null) {
    if (await exists(api, `${STORAGE_CLASSES}/${name}`)) return null;
    return `ORCH_KUBERNETES_STORAGE_CLASS: the cluster has no storage class ${name}; kubectl get storageclasses shows those it has`;
  }
  try {
    const { items } = await api.list(STORAGE_CLASSES, {});
    const found = items.map((item) => z.parse(classes, item).metadata.annotations);
    if (found.some((annotations) => annotations[DEFAULT_CLASS] === "true")) return null;
  } catch (error) {
    if (isStatus(error, 403)) return null;
    throw new InvalidSettings([`KUBECONFIG: ${reasonOf(error)}`]);
  }
  return "ORCH_KUBERNETES_STORAGE_CLASS: the cluster has no default storage class; set one that it has";
}

async function runtimeProblem(api: KubeApi, name: string | null): Promise<string | null> {
  if (name === null || (await exists(api, `/apis/node.k8s.io/v1/runtimeclasses/${name}`))) return null;
  return `ORCH_KUBERNETES_RUNTIME_CLASS: the cluster has no runtime class ${name}; create it, or leave the setting out`;
}
