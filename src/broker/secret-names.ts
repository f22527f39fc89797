const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MAX_NAMES = 100;

/** The names of secrets in a header, separated by commas. Others are left out. */
export const namesIn = (header: string | readonly string[] | undefined): readonly string[] =>
  typeof header !== "string"
    ? []
    : [...new Set(header.split(","))].filter((name) => NAME.test(name)).slice(0, MAX_NAMES);
