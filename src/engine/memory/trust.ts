/**
 * Trust in a memory by its source: from outside content (files, web, tool servers) up to the user's own words. Derived
 * content has the least trust of its sources.
 */
export const TRUST = { external: 0, model: 1, internal: 2, user: 3 } as const;
export type TrustName = keyof typeof TRUST;
export type Trust = (typeof TRUST)[TrustName];

const NAMES: readonly TrustName[] = ["external", "model", "internal", "user"];

export const trustName = (trust: number): TrustName => NAMES[trust] ?? "external";

export const leastTrust = (first: Trust, ...others: readonly Trust[]): Trust =>
  others.reduce((least, one) => (one < least ? one : least), first);
