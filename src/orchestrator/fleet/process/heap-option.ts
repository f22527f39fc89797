/** The share of an engine's memory for the V8 heap. The rest is for buffers, SQLite and code. */
const HEAP_SHARE = 0.75;

/** The option of Node.js that limits an engine's V8 heap. None without a memory limit. */
export function heapOption(memoryMb: number): readonly string[] {
  const heapMb = Math.floor(memoryMb * HEAP_SHARE);
  return heapMb > 0 ? [`--max-old-space-size=${heapMb}`] : [];
}
