import { createHash } from "node:crypto";
import { LABELS as ENGINE_LABELS } from "../containers/container-launch.ts";

/** The labels of this deployment's objects. */
export const LABELS = {
  ...ENGINE_LABELS,
  /** On a pod that reads a claim: the claim's name. */
  reader: "orchd.reader",
  product: "orchd.product",
  /** The digest of a product's catalog, on its archive. */
  catalog: "orchd.catalog",
  /** A hash of the user id. */
  user: "orchd.user",
  /** On a claim whose name follows from its user: `user`. Those of earlier versions lack it. */
  named: "orchd.named",
  /** On a claim that was restored for a provision that is not finished. */
  restored: "orchd.restored",
} as const;

/** On pods and claims, for operators. */
export const USER_ANNOTATION = "orchd.user-id";

const LABEL = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;

export const hash = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** A text as a label value: at most 63 characters of a restricted set, else a hash. */
export const labelValue = (text: string): string => (LABEL.test(text) ? text : `hash-${hash(text, 40)}`);

/** An object name: a valid DNS label with hashes, so that it reveals no ids. */
export const objectName = (deployment: string, ...what: readonly string[]): string =>
  `orchd-${hash(deployment, 8)}-${hash(what.join("\0"), 24)}`;

/** A selector of objects with these labels. Null: without that label. */
export const selector = (labels: Readonly<Record<string, string | null>>): string =>
  Object.entries(labels)
    .map(([name, value]) => (value === null ? `!${name}` : `${name}=${labelValue(value)}`))
    .join(",");
