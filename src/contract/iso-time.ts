/** `2026-11-01T12:00:00.000Z` */
export type IsoTime = string;
