/** How much a model reasons before it answers. */
export const EFFORTS = ["low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

/** The longest list of models that answer instead of one that fails. */
export const MAX_FALLBACK = 8;

/** Models of the settings, by which calls and agents may name them. */
export const MODEL_ROLES = ["main", "planner", "light"] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
