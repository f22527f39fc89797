/**
 * How far what is remembered can be relied on, by who said it: from what came from outside (files, the web, tool
 * servers) up to the user's own words. What is derived has the least of what it was derived from.
 */
export const TRUST = { external: 0, model: 1, internal: 2, user: 3 } as const;
export type TrustName = keyof typeof TRUST;
export type Trust = (typeof TRUST)[TrustName];

const NAMES: readonly TrustName[] = ["external", "model", "internal", "user"];

export const trustName = (trust: number): TrustName => NAMES[trust] ?? "external";

export const leastTrust = (first: Trust, ...others: readonly Trust[]): Trust =>
  others.reduce((least, one) => (one < least ? one : least), first);
