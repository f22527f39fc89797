import { readFile } from "node:fs/promises";
import { SETTINGS } from "../../contract/settings/settings.ts";
import type { EnvironmentReader } from "../../shared/environment.ts";

export interface KubernetesSettings {
  readonly image: string;
  readonly pullPolicy: "Always" | "IfNotPresent" | "Never";
  /** Null for the default of the cluster. */
  readonly runtimeClass: string | null;
  /** Null for that of the cluster's access. */
  readonly namespace: string | null;
  /** Null for the cluster's default. */
  readonly storageClass: string | null;
  readonly volumeSize: string;
  /** Null for the service account of the daemon's pod. */
  readonly kubeconfig: string | null;
  /** Of the API, as pods get it. Its host is null outside of a pod. */
  readonly service: { readonly host: string | null; readonly port: string };
}

const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SIZE = /^\d+(?:\.\d+)?(?:[kMGT]|[KMGT]i)?$/;

/** Reads the settings of the Kubernetes backend. Problems are added to `read`. */
export function readKubernetes(read: EnvironmentReader): KubernetesSettings {
  const matching = (name: string, form: RegExp, expected: string): string | null => {
    const text = read.text(name) ?? null;
    if (text !== null && !form.test(text)) read.problem(`${name}: expected ${expected}, got "${text}"`);
    return text;
  };
  const {
    ORCH_KUBERNETES_IMAGE: image,
    ORCH_KUBERNETES_PULL_POLICY: { value: pull },
    ORCH_KUBERNETES_VOLUME_SIZE: size,
  } = SETTINGS;
  return {
    namespace: matching("ORCH_KUBERNETES_NAMESPACE", NAMESPACE, "the name of a namespace"),
    image: read.text("ORCH_KUBERNETES_IMAGE", image.value.fallback),
    pullPolicy: read.choice("ORCH_KUBERNETES_PULL_POLICY", pull.values, pull.fallback),
    storageClass: matching("ORCH_KUBERNETES_STORAGE_CLASS", NAME, "the name of a storage class"),
    volumeSize: matching("ORCH_KUBERNETES_VOLUME_SIZE", SIZE, "a size such as 10Gi") ?? size.value.fallback,
    runtimeClass: matching("ORCH_KUBERNETES_RUNTIME_CLASS", NAME, "the name of a runtime class"),
    kubeconfig: read.text("KUBECONFIG") ?? null,
    service: {
      host: read.text("KUBERNETES_SERVICE_HOST") ?? null,
      port: read.text("KUBERNETES_SERVICE_PORT", "443"),
    },
  };
}

/** The PEM bundle of additional certificates. Pods get its content, since they cannot read files of this host. */
export const readCertificates = (path: string | null): Promise<string | null> =>
  path === null ? Promise.resolve(null) : readFile(path, "utf8");
