/** The meaning of a field without links and code marks: for `orchctl`, whose readers see no Markdown. */
export const plainText = (markdown: string): string => withoutLinks(markdown).replaceAll("`", "");

/** For OpenAPI and the console, where links into the documentation lead nowhere. */
export const withoutLinks = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
