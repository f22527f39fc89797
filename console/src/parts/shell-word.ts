/** A text as one word of a shell: whatever a user is called, a copied command runs nothing else. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", `'\\''`)}'`;
