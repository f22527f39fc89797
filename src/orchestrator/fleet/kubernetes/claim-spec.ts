import * as z from "zod/mini";
import type { KeptFor } from "../engine-storage.ts";
import { LABELS, USER_ANNOTATION, hash, labelValue, objectName } from "./names.ts";

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

/** The labels of the user whose data a claim holds. Labels are readable, so the user id is hashed. */
export const ownerLabels = ({ product_id, user_id }: KeptFor) => ({
  [LABELS.product]: labelValue(product_id),
  [LABELS.user]: hash(user_id, 40),
});

/** The name of an engine's claim. `attempt` is above 0 when a claim that is being deleted still has the name. */
export const claimName = (deployment: string, engineId: string, attempt: number): string =>
  objectName(deployment, "claim", engineId, String(attempt));

/** The body of a create call. `owner`: the user whose data the claim holds; null when unknown. */
export const claimSpec = (
  name: string,
  { engineId, owner }: { readonly engineId: string; readonly owner: KeptFor | null },
  { deployment, storageClass, volumeSize }: ClaimOptions,
) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name,
    labels: {
      [LABELS.deployment]: labelValue(deployment),
      [LABELS.engine]: labelValue(engineId),
      ...(owner !== null && ownerLabels(owner)),
    },
    ...(owner !== null && { annotations: { [USER_ANNOTATION]: owner.user_id } }),
  },
  spec: {
    accessModes: ["ReadWriteOnce"],
    ...(storageClass !== null && { storageClassName: storageClass }),
    resources: { requests: { storage: volumeSize } },
  },
});
