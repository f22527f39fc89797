const GIB_IN_MIB = 1024;

/** From which memory how many, the largest first. */
const BY_MEMORY = [
  { fromGib: 24, spares: 4 },
  { fromGib: 8, spares: 2 },
  { fromGib: 2, spares: 1 },
] as const;

/** The number of spares on a host with this much memory (`ORCH_WARM_ENGINES=auto`). */
export const defaultSpares = (memoryMb: number): number =>
  BY_MEMORY.find(({ fromGib }) => memoryMb >= fromGib * GIB_IN_MIB)?.spares ?? 0;
