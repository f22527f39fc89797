/** The tool by which a model reads skills. */
export const USE_SKILL = "use_skill";
