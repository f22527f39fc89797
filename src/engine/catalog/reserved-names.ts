/** Name of the tool that reads skills. */
export const USE_SKILL = "use_skill";
