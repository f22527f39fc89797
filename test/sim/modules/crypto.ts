/** Stands in for `node:crypto`: random values are drawn. */
export * from "node:crypto";
import { world } from "../kernel/world.ts";

export const randomBytes = (size: number): Buffer => world().draws.bytes("randomBytes", size);

export function randomUUID(): string {
  const hex = randomBytes(16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
