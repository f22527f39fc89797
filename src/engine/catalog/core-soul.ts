import { sha256 } from "../../contract/api-keys.ts";
import { byteLength } from "../../shared/parse.ts";
import { BadEntry } from "./catalog-entry.ts";

const PLACEHOLDERS = ["user_id", "product", "agents", "skills"] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** The template of the system prompt that all agents share. */
export interface CoreSoul {
  readonly template: string;
  /** SHA-256 of the template, in hex. */
  readonly hash: string;
  readonly bytes: number;
}

const ANY = /\{\{([^{}]*)\}\}/g;

/** Throws {@link BadEntry} for an empty template or an unknown placeholder. */
export function parseCoreSoul(text: string): CoreSoul {
  if (text.trim() === "") throw new BadEntry("expected some text");
  const template = text.replaceAll(/\r\n?/g, "\n").trim();
  for (const [at, line] of text.split(/\r\n?|\n/).entries()) {
    for (const [match, name = ""] of line.matchAll(ANY)) {
      if (!isPlaceholder(name.trim()))
        throw new BadEntry(`unknown placeholder ${match}; expected one of ${PLACEHOLDERS.join(", ")}`, at + 1);
    }
    if (line.replaceAll(ANY, "").includes("{{")) throw new BadEntry("{{ without its }}", at + 1);
  }
  return { template, hash: sha256(text), bytes: byteLength(text) };
}

/** One pass: placeholders in values are not expanded. */
export function renderCoreSoul({ template }: CoreSoul, values: Readonly<Record<Placeholder, string>>): string {
  return template.replaceAll(ANY, (match, name: string) => {
    const placeholder = name.trim();
    return isPlaceholder(placeholder) ? values[placeholder] : match;
  });
}

const isPlaceholder = (name: string): name is Placeholder => (PLACEHOLDERS as readonly string[]).includes(name);
