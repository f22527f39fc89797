import { rowsAt } from "../route-table.ts";
import { PROTOCOLS, type ProtocolName } from "./protocols.ts";
import type { ProtocolRouteRow } from "./protocols/protocol-row.ts";

export interface ProtocolRoute extends ProtocolRouteRow {
  readonly protocol: ProtocolName;
}

type Routes = { readonly [Name in ProtocolName]: keyof (typeof PROTOCOLS)[Name]["routes"] };
export type ProtocolRouteName = Routes[ProtocolName];

/** Every route of the protocols that an engine speaks beside its own interface. A table of its own, for protocols load at their first call. */
export const PROTOCOL_ROUTES = Object.fromEntries(
  Object.entries(PROTOCOLS).flatMap(([protocol, { routes }]) =>
    Object.entries<ProtocolRouteRow>(routes).map(([name, row]) => [name, { protocol, ...row }]),
  ),
) as Readonly<Record<ProtocolRouteName, ProtocolRoute>>;

const find = rowsAt(Object.values(PROTOCOL_ROUTES));

/** The protocol of an engine's path. Null for the engine's own interface. */
export const protocolAt = (path: string): ProtocolName | null => find(path)[0]?.protocol ?? null;

/** Whether a path is that of a stream that goes on from turn to turn, and ends with a comment when the engine sleeps. */
export const outlivesTurns = (path: string): boolean =>
  find(path).some((row) => row === PROTOCOL_ROUTES.managedStreamEvents);
