/** Longer lines of an engine's log are cut. */
export const MAX_LOG_LINE = 16_384;
const KEY = /\b(sk-orch-|orch[lmps]_|sk-)[\w-]{8,}/g;

/** Redacts what looks like a key of orchd or of a provider, and cuts the line. */
export const redactLine = (line: string): string => line.slice(0, MAX_LOG_LINE).replace(KEY, "$1[redacted]");
