import { randomBytes, randomUUID } from "node:crypto";
import type { Claim } from "./claim-spec.ts";
import { LABELS, labelValue, objectName } from "./names.ts";
import { DATA_DIR, PORT } from "../containers/container-launch.ts";
import { CONTAINER, CONTAINER_SECURITY, LAUNCH_DIR, podDefaults, type PodOptions } from "./pod-spec.ts";

const TOKEN_FILE = "token";
/** V8's heap of the program, in MiB. It holds the file names of one folder. */
const HEAP_MB = 256;
/** A limit for a program that hangs. Normally it exits when its client disconnects. */
const DEADLINE_S = 6 * 60 * 60;

export type ReaderOptions = Pick<PodOptions, "image" | "pullPolicy" | "runtimeClass" | "deployment" | "folderProgram">;

/** The claim to read, and the node of its engine. */
export interface ReadFrom {
  readonly claim: Claim;
  /** Null for kept data. */
  readonly engine: string | null;
  /** Null when the engine does not run, so that its volume is attached to no node. */
  readonly node: string | null;
}

/** The pod that serves the files of a claim once, to the holder of the token. It is deleted with the claim at the latest. */
export function readerSpec({ claim, engine, node }: ReadFrom, options: ReaderOptions) {
  const { image, pullPolicy, runtimeClass, deployment, folderProgram } = options;
  const name = objectName(deployment, "reader", randomUUID());
  const { name: claimName, uid } = claim.metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: {
        [LABELS.deployment]: labelValue(deployment),
        [LABELS.reader]: claimName,
        ...(engine !== null && { [LABELS.engine]: labelValue(engine) }),
      },
      ownerReferences: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", name: claimName, uid }],
    },
    spec: {
      ...podDefaults(runtimeClass),
      activeDeadlineSeconds: DEADLINE_S,
      terminationGracePeriodSeconds: 1,
      ...(node !== null && { affinity: at(node) }),
      containers: [
        {
          name: CONTAINER,
          image,
          imagePullPolicy: pullPolicy,
          args: [
            `--max-old-space-size=${HEAP_MB}`,
            folderProgram,
            DATA_DIR,
            "serve",
            `${LAUNCH_DIR}/${TOKEN_FILE}`,
            String(PORT),
          ],
          ports: [{ containerPort: PORT, protocol: "TCP" }],
          securityContext: CONTAINER_SECURITY,
          resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: `${2 * HEAP_MB}Mi` } },
          volumeMounts: [
            // Read-only while the engine runs. SQLite must create its lock files to read a closed store.
            { name: "data", mountPath: DATA_DIR, readOnly: node !== null },
            { name: "token", mountPath: LAUNCH_DIR, readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName } },
        { name: "token", secret: { secretName: name, defaultMode: 0o440 } },
      ],
    },
  };
}

/** Runs the pod on the engine's node, since a `ReadWriteOnce` volume is attached to one node. */
const at = (node: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
    },
  },
});

/** A token for one reader pod, and the secret that contains it. */
export function readerSecret(deployment: string, { name, uid }: { readonly name: string; readonly uid: string }) {
  const token = randomBytes(32).toString("base64url");
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      labels: { [LABELS.deployment]: labelValue(deployment) },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
    },
    type: "Opaque",
    stringData: { [TOKEN_FILE]: token },
  };
  return { token, secret };
}
