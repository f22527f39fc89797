import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine/launch-file.ts";
import { encodeLaunch } from "../../../contract/engine/launch.ts";
import { DATA_DIR, PORT, USER, containerLaunch, engineLabels } from "../containers/container-launch.ts";
import type { LaunchOrder } from "../engine-backend.ts";
import { type PodCatalog, catalogVolumes } from "./catalog-volumes.ts";
import { LABELS, USER_ANNOTATION, labelValue, objectName } from "./names.ts";
import { heapOption } from "../process/heap-option.ts";

/** The name of the engine's container. */
export const CONTAINER = "engine";
export const LAUNCH_DIR = "/run/orchd";
const LAUNCH_FILE = "launch.json";
const CERTIFICATES_FILE = "ca-certificates.pem";
/** The memory request of an engine without tools, in MiB. The scheduler counts requests. */
const REQUESTED_MB = 128;
/** The default grace period. A stop sends its own. */
const GRACE_S = 30;

export interface PodOptions {
  readonly image: string;
  readonly pullPolicy: "Always" | "IfNotPresent" | "Never";
  /** Null for the default of the cluster. */
  readonly runtimeClass: string | null;
  /** The engine's entry point in the image, whose own entry point is Node.js. */
  readonly entry: string;
  /** The program that reads an engine's folder, in the image. */
  readonly folderProgram: string;
  /** The program in the image that unpacks the product's catalog. */
  readonly catalogProgram: string;
  /** The id of this deployment. */
  readonly deployment: string;
}

/** A unique name for each incarnation, since the API refuses a duplicate. */
export const podName = (deployment: string, incarnation: string): string => objectName(deployment, "pod", incarnation);

/** The security context that the Pod Security Standard `restricted` requires. */
const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
};
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** What the spec of each pod of orchd has: it gets no token, and satisfies the restricted Pod Security Standard. */
export const podDefaults = (runtimeClass: string | null) => ({
  restartPolicy: "Never",
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  ...(runtimeClass !== null && { runtimeClassName: runtimeClass }),
  securityContext: POD_SECURITY,
});

export interface PodVolumes {
  readonly claim: string;
  /** Null without one. */
  readonly catalog: PodCatalog | null;
}

/** The body of a create call. It contains no secret, since pods are readable by others. */
export function podSpec(
  { launch, memoryMb, cpuWeight }: LaunchOrder,
  { image, pullPolicy, runtimeClass, entry, catalogProgram, deployment }: PodOptions,
  { claim, catalog }: PodVolumes,
) {
  const name = podName(deployment, launch.incarnation);
  const { memory_mb: limitMb } = launch.limits;
  const base = {
    image,
    imagePullPolicy: pullPolicy,
    securityContext: CONTAINER_SECURITY,
    resources: {
      requests: {
        cpu: `${cpuWeight}m`,
        memory: `${limitMb > 0 ? Math.min(limitMb, REQUESTED_MB) : REQUESTED_MB}Mi`,
      },
      ...(limitMb > 0 && { limits: { memory: `${limitMb}Mi` } }),
    },
  };
  const unpacked = catalogVolumes(catalog, catalogProgram, base);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: engineLabels(deployment, launch, labelValue),
      annotations: { [USER_ANNOTATION]: launch.user_id },
    },
    spec: {
      ...podDefaults(runtimeClass),
      // The engine is not pid 1, so signals have their default actions and the pause container reaps orphaned tools.
      shareProcessNamespace: true,
      terminationGracePeriodSeconds: GRACE_S,
      initContainers: unpacked.containers,
      containers: [
        {
          name: CONTAINER,
          ...base,
          args: [...heapOption(memoryMb), entry],
          env: [
            { name: LAUNCH_FILE_VARIABLE, value: `${LAUNCH_DIR}/${LAUNCH_FILE}` },
            { name: "HOME", value: DATA_DIR },
          ],
          workingDir: DATA_DIR,
          ports: [{ containerPort: PORT, protocol: "TCP" }],
          volumeMounts: [
            { name: "data", mountPath: DATA_DIR },
            { name: "tmp", mountPath: "/tmp" },
            { name: "launch", mountPath: LAUNCH_DIR, readOnly: true },
            ...unpacked.mounts,
          ],
        },
      ],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: claim } },
        { name: "tmp", emptyDir: { medium: "Memory" } },
        { name: "launch", secret: { secretName: name, defaultMode: 0o440 } },
        ...unpacked.volumes,
      ],
    },
  };
}

/** The secret with the launch file. It is deleted with its pod at the latest. */
export function launchSecret(
  order: LaunchOrder,
  { deployment, certificates }: Pick<PodOptions, "deployment"> & { readonly certificates: string | null },
  pod: { readonly name: string; readonly uid: string },
) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: pod.name,
      labels: { [LABELS.deployment]: labelValue(deployment) },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: pod.name, uid: pod.uid }],
    },
    type: "Opaque",
    stringData: {
      [LAUNCH_FILE]: encodeLaunch(
        containerLaunch(order, certificates === null ? null : `${LAUNCH_DIR}/${CERTIFICATES_FILE}`),
      ),
      ...(certificates !== null && { [CERTIFICATES_FILE]: certificates }),
    },
  };
}

/** A patch that empties the launch file. The secret itself stays, since the pod's volume needs it. */
export const EMPTIED_SECRET = { data: { [LAUNCH_FILE]: "" } };
