/** An engine's port for its backend. 0 without one: then the backend gives its engines addresses, and reads no port. */
export const backendPort = ({ port }: { readonly port: number | null }): number => port ?? 0;
