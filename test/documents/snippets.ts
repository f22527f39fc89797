import { documentText } from "./documents.ts";

/** The snippets of a document in one language, as the program that a reader would have from top to bottom. */
export const programOf = (path: string, language: string): string =>
  [...documentText(path).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))]
    .map(([, code = ""]) => code)
    .join("\n");
