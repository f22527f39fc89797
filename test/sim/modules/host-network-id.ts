/** Stands in for `daemon/host-network-id.ts`. */
export const hostNetworkId = (): Promise<string> => Promise.resolve("simulated");
