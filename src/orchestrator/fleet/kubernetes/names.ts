import { createHash } from "node:crypto";

/** What objects of this deployment carry. */
export const LABELS = {
  deployment: "orchd.deployment",
  engine: "orchd.engine",
  incarnation: "orchd.incarnation",
  product: "orchd.product",
  /** The digest of a product's catalog, on its archive. */
  catalog: "orchd.catalog",
  /** A hash of the user id. */
  user: "orchd.user",
  /** On a claim that was restored for a provision that is not finished. */
  restored: "orchd.restored",
} as const;

/** On pods and claims, for operators. */
export const USER_ANNOTATION = "orchd.user-id";

const LABEL = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;

export const hash = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** A text as the value of a label, which holds 63 characters of a few kinds. */
export const labelValue = (text: string): string => (LABEL.test(text) ? text : `hash-${hash(text, 40)}`);

/** A name of an object: a DNS label that tells no stranger anything. */
export const objectName = (deployment: string, ...what: readonly string[]): string =>
  `orchd-${hash(deployment, 8)}-${hash(what.join("\0"), 24)}`;

/** A selector of objects with these labels. Null: without that label. */
export const selector = (labels: Readonly<Record<string, string | null>>): string =>
  Object.entries(labels)
    .map(([name, value]) => (value === null ? `!${name}` : `${name}=${labelValue(value)}`))
    .join(",");
