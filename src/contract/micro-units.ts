/** Money is kept in whole millionths of a currency's unit. */
export const MICRO = 1_000_000;

export const microsOf = (units: number): number => Math.round(units * MICRO);
