import { type Evidence, type Question, conversationOf, tokensOf } from "./history.ts";
import type { Found } from "./system.ts";

/** A question, what a system returned for it, and how long that took. */
export interface Outcome {
  readonly question: Question;
  readonly found: Found;
  readonly ms: number;
}

/** What counts for one question. Shares lie between 0 and 1; undefined where a measure does not apply. */
export interface Score {
  /** Share of the evidence's conversations among those of the first 5 and 10 things returned. */
  readonly conversations: Cut;
  /**
   * Share of the evidence's rounds among them; systems that return whole conversations have none, and neither have
   * questions of which only the conversations are known.
   */
  readonly rounds?: Cut;
  /** 1 if all of them are, or any: the latter is what others publish as recall. */
  readonly allFound: Cut;
  readonly anyFound: Cut;
  /** One divided by the place among ten of the first conversation of the evidence; 0 if there is none. */
  readonly reciprocalRank: number;
  readonly currentFirst?: boolean;
  readonly abstained: boolean;
  readonly tokens: Cut;
}

export interface Cut {
  readonly at5: number;
  readonly at10: number;
}

export function scoreOf({ question, found }: Outcome): Score {
  const hits = found.nothingRelevant === true ? [] : found.hits;
  const ofRounds = hits.some(({ of }) => of.some((id) => id.includes("/")));
  const conversations = question.evidence.map(({ round }) => conversationOf(round));
  const share = cut((count) => shareOf(conversations, first(hits, count).ids.map(conversationOf)));
  return {
    conversations: share,
    ...(namesRounds(question) && (ofRounds || hits.length === 0)
      ? { rounds: cut((count) => shareOf(roundsOf(question.evidence), first(hits, count).ids)) }
      : {}),
    allFound: { at5: share.at5 === 1 ? 1 : 0, at10: share.at10 === 1 ? 1 : 0 },
    anyFound: { at5: Math.ceil(share.at5), at10: Math.ceil(share.at10) },
    reciprocalRank: reciprocalRank(conversations, first(hits, 10).ids.map(conversationOf)),
    ...(question.outdated.length > 0 ? { currentFirst: currentFirst(question, first(hits, 10).ids) } : {}),
    abstained: hits.length === 0,
    tokens: cut((count) => first(hits, count).tokens),
  };
}

/**
 * The first so many different things (rounds, or conversations), and the tokens of all hits read on the way. A hit that
 * says again where something stands takes no place, but its tokens count.
 */
function first(hits: Found["hits"], count: number): { readonly ids: readonly string[]; readonly tokens: number } {
  const ids = new Set<string>();
  let tokens = 0;
  for (const { of, text } of hits) {
    const fresh = of.filter((id) => !ids.has(id));
    if (fresh.length > 0 && ids.size >= count) break;
    tokens += tokensOf(text);
    for (const id of fresh.slice(0, count - ids.size)) ids.add(id);
  }
  return { ids: [...ids], tokens };
}

/** The latest is found, and nothing outdated stands above it. Whole conversations are compared as such. */
function currentFirst({ evidence, outdated }: Question, ids: readonly string[]): boolean {
  const rank = ({ round }: Evidence): number => {
    const at = ids.findIndex((id) => id === round || id === conversationOf(round));
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  const current = Math.min(...evidence.map(rank));
  return current < Number.POSITIVE_INFINITY && outdated.every((one) => rank(one) > current);
}

const cut = (measure: (count: number) => number): Cut => ({ at5: measure(5), at10: measure(10) });

function reciprocalRank(wanted: readonly string[], returned: readonly string[]): number {
  const at = [...new Set(returned)].findIndex((id) => wanted.includes(id));
  return at === -1 ? 0 : 1 / (at + 1);
}

export const namesRounds = ({ evidence }: Question): boolean => evidence.every(({ round }) => round.includes("/"));

const roundsOf = (evidence: readonly Evidence[]): readonly string[] => evidence.map(({ round }) => round);

function shareOf(wanted: readonly string[], returned: readonly string[]): number {
  const different = new Set(wanted);
  return [...different].filter((id) => returned.includes(id)).length / Math.max(1, different.size);
}
