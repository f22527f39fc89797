import * as z from "zod/mini";
import type { KeptData, KeptFor, StoredEngine } from "../engine-storage.ts";
import { LABELS, USER_ANNOTATION, hash, labelValue, objectName } from "./names.ts";

/** Hexadecimal digits of a user's hash: in the name of a user, and in a label. */
const USER_HASH = 64;
const LABEL_HASH = 40;

export const claimObject = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    creationTimestamp: z._default(z.string(), ""),
    deletionTimestamp: z.optional(z.string()),
    labels: z._default(z.record(z.string(), z.string()), {}),
    annotations: z._default(z.record(z.string(), z.string()), {}),
  }),
  status: z._default(z.object({ phase: z.optional(z.string()) }), {}),
});
export type Claim = z.output<typeof claimObject>;

export interface ClaimOptions {
  readonly namespace: string;
  readonly deployment: string;
  /** Null for the cluster's default. */
  readonly storageClass: string | null;
  /** Such as `10Gi`. */
  readonly volumeSize: string;
}

/** The names of one user's claims: a claim that is being deleted still has its name, so that the next one has another. */
const NAMES_OF_USER = 4;

/** The user whose data a claim holds, by the name that a storage gives users. */
export const ownerOf = ({ product_id, user_id }: KeptFor): KeptData => ({
  productId: product_id,
  user: hash(user_id, USER_HASH),
});

/** The labels of the user whose data a claim holds. Labels are readable, so the user id is hashed. */
export const ownerLabels = ({ productId, user }: KeptData) => ({
  [LABELS.product]: labelValue(productId),
  [LABELS.user]: user.slice(0, LABEL_HASH),
});

/** The names that the claims of a user can have, so that they are found without a list. */
export const claimNames = (deployment: string, { productId, user }: KeptData): readonly string[] =>
  Array.from({ length: NAMES_OF_USER }, (_, at) => objectName(deployment, "volume", productId, user, String(at)));

/** The body of a create call. */
export const claimSpec = (
  name: string,
  engine: StoredEngine,
  { deployment, storageClass, volumeSize }: ClaimOptions,
) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name,
    labels: {
      [LABELS.deployment]: labelValue(deployment),
      [LABELS.engine]: labelValue(engine.id),
      [LABELS.named]: "user",
      ...ownerLabels(ownerOf(engine)),
    },
    annotations: { [USER_ANNOTATION]: engine.user_id },
  },
  spec: {
    accessModes: ["ReadWriteOnce"],
    ...(storageClass !== null && { storageClassName: storageClass }),
    resources: { requests: { storage: volumeSize } },
  },
});
