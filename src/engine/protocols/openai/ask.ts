import type { Ask } from "./turn-pieces.ts";

/** A question or a permission prompt as text, for clients that show only text. */
export function askText({ question, options }: Pick<Ask, "question" | "options">): string {
  return [
    question,
    ...(options.length > 0 ? ["", ...options.map((option, index) => `${index + 1}. ${option}`)] : []),
  ].join("\n");
}

const YES = new Set(["yes", "y", "ok", "allow", "approve", "approved"]);
const NO = new Set(["no", "n", "refuse", "reject", "denied"]);
export const [ALLOW, DENY] = ["allow_once", "deny"] as const;

/** The answer that a message is meant as: an option, its number, or other text where that is allowed. Null: none. */
export function answerOf(
  text: string,
  { kind, options, allowsFreeText }: Pick<Ask, "kind" | "options" | "allowsFreeText">,
): string | null {
  const trimmed = text.trim();
  const lower = trimmed.toLowerCase();
  const named =
    options.find((option) => option === trimmed) ?? options.find((option) => option.toLowerCase() === lower);
  if (named !== undefined) return named;
  const numbered = /^(\d{1,3})[.)]?$/.exec(trimmed)?.[1];
  const byNumber = numbered === undefined ? undefined : options[Number(numbered) - 1];
  if (byNumber !== undefined) return byNumber;
  if (kind === "permission") {
    if (YES.has(lower) && options.includes(ALLOW)) return ALLOW;
    if (NO.has(lower) && options.includes(DENY)) return DENY;
  }
  return allowsFreeText && trimmed !== "" ? trimmed : null;
}
