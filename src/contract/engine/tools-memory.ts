/** The share of an engine's memory that its tools may use. A tool is ended before the engine lacks memory. */
const TOOLS_SHARE = 0.75;

/** MiB for all tools of an engine with `memoryMb`. */
export const toolsMemoryMb = (memoryMb: number): number => Math.floor(memoryMb * TOOLS_SHARE);
