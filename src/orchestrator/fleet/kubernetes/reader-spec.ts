import { randomBytes, randomUUID } from "node:crypto";
import type { Claim } from "./claim-spec.ts";
import { LABELS, labelValue, objectName } from "./names.ts";
import {
  CONTAINER,
  CONTAINER_SECURITY,
  DATA_DIR,
  LAUNCH_DIR,
  POD_SECURITY,
  PORT,
  type PodOptions,
} from "./pod-spec.ts";

const TOKEN_FILE = "token";
/** V8's heap of the program, in MiB. The names of one folder are in it. */
const HEAP_MB = 256;
/** The program ends by itself when its reader is gone. This is for a node that is too slow for it. */
const DEADLINE_S = 6 * 60 * 60;

export type ReaderOptions = Pick<PodOptions, "image" | "pullPolicy" | "runtimeClass" | "deployment" | "folderProgram">;

/** Whose files are read, and where its pod is. */
export interface ReadFrom {
  readonly claim: Claim;
  /** Null for kept data. */
  readonly engine: string | null;
  /** Null when the engine does not run: its volume is then at no node. */
  readonly node: string | null;
}

/** The pod that gives the files of a claim, once, to the holder of the token. It goes with the claim at the latest. */
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
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      activeDeadlineSeconds: DEADLINE_S,
      terminationGracePeriodSeconds: 1,
      ...(runtimeClass !== null && { runtimeClassName: runtimeClass }),
      ...(node !== null && { affinity: at(node) }),
      securityContext: POD_SECURITY,
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
            // A store whose engine runs is read as it is. One that was closed needs files of SQLite's locks for that.
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

/** A volume of `ReadWriteOnce` is at one node. */
const at = (node: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
    },
  },
});

/** A token for one reader, and the secret that gives it to its pod. */
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
