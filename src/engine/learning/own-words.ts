const FENCED = /^ {0,3}(`{3,}|~{3,}).*\n(?:[\s\S]*?^ {0,3}\1[`~]*[ \t]*$|[\s\S]*)/gm;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
/** Shorter passages are names and titles: “Alien” is a film that the user likes. */
const QUOTED_PASSAGE = /["“„«»][^"“”„«»]{40,}["”“»«]/g;

/** A message without the text that it marks as another's: code blocks, quoted lines, long passages in quotation marks. */
export const ownWords = (message: string): string =>
  message.replaceAll(FENCED, "\n").replaceAll(QUOTED_LINE, "").replaceAll(QUOTED_PASSAGE, " ");
