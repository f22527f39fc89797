/** `@orchd/sandbox/proxy`: which hosts a program reaches, and the proxy that decides it. */
export { EgressRefused, EgressRules } from "./proxy/egress-rules.ts";
export type { ProxiedRequest } from "./proxy/egress-proxy.ts";
export { type NetworkAccess, ProgramNetwork, type ProgramNetworkOptions } from "./proxy/program-network.ts";
export { isListedHost } from "./proxy/listed-host.ts";
export { type OutsideTarget, connectTo, fixedLookup, joinSockets } from "./proxy/upstream.ts";
export { type HostPattern, formatHostPattern, readHostPattern } from "./proxy/host-pattern.ts";
export { HOP_BY_HOP, connectionOptions } from "./proxy/hop-by-hop.ts";
