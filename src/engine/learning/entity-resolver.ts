import { isSingle } from "../memory/predicates.ts";
import { type SocialGraph, type SocialNode, normalizeName } from "../memory/social-graph.ts";
import { TRUST, type Trust } from "../memory/trust.ts";
import { type ExtractedNode, USER } from "./extraction.ts";

interface Mention {
  readonly trust: Trust;
  /** Time of the round, and of learning. */
  readonly at: number;
  readonly now: number;
  /** Episode id. */
  readonly ref: string;
}

/** Resolves names to nodes of the social graph. Runs within the caller's transaction. */
export class EntityResolver {
  readonly #graph: SocialGraph;

  constructor(graph: SocialGraph) {
    this.#graph = graph;
  }

  /** Finds or creates the node of an extracted entity, and records the mention. */
  resolve(
    { name, type, relation, aliases }: ExtractedNode,
    { trust, at, ref, now }: Mention,
  ): { readonly isNew: boolean } {
    const [known, ...others] = this.#graph.find(name).filter((one) => one.type === type || one.name === USER);
    const isNew = known === undefined || others.length > 0;
    const summary = relation === null ? "" : `the user's ${relation}`;
    const node = isNew ? this.#graph.insert({ name, type, summary, trust, seenAt: at }) : known;
    for (const alias of [...aliases, ...firstName(name, type)])
      if (this.#graph.find(alias).length === 0) this.#graph.addAlias(node.id, alias);
    if (relation !== null && node.name !== USER) {
      this.#graph.addAlias(node.id, relation);
      const edge = { from: this.user(at).id, to: node.id, relation, trust, validFrom: at };
      if (this.#graph.addEdge(edge, now) && isSingle(relation, false)) this.#graph.closeOtherEdges(edge, now);
    }
    this.#graph.addMention(node.id, ref, at);
    return { isNew };
  }

  user(at: number): SocialNode {
    const known = this.#graph.find(USER).find(({ name }) => name === USER);
    return (
      known ?? this.#graph.insert({ name: USER, type: "person", summary: "the user", trust: TRUST.user, seenAt: at })
    );
  }

  /** Records mentions of known entities. */
  mention(names: readonly string[], { at, ref }: Pick<Mention, "at" | "ref">): void {
    for (const name of names) {
      const [node, ...others] = this.#graph.find(name);
      if (node !== undefined && others.length === 0) this.#graph.addMention(node.id, ref, at);
    }
  }

  /** Names under which facts of a subject may be stored, the canonical one first. */
  namesOf(subject: string): readonly string[] {
    const [first = subject, ...rest] = subject.split("'s ");
    if (first === USER && rest.length > 0) {
      const [kin = "", ...more] = rest;
      const known = this.#graph.find(USER).find(({ name }) => name === USER);
      const related = known === undefined ? [] : this.#graph.related(known.id, kin);
      const name = related.length === 1 ? normalizeName(related[0]?.name ?? kin) : null;
      return name === null ? [subject] : [[name, ...more].join("'s "), subject];
    }
    const found = this.#graph.find(first);
    const [node] = found;
    if (node === undefined || found.length > 1) return [subject];
    const own = [normalizeName(node.name), ...rest].join("'s ");
    const relations = node.name === USER ? [] : this.#graph.relationsOf(node.id);
    return [...new Set([own, subject, ...relations.map((kin) => [`${USER}'s ${kin}`, ...rest].join("'s "))])];
  }
}

const firstName = (name: string, type: string): readonly string[] => {
  const [first = "", ...rest] = name.split(" ").filter((word) => !/^(?:Dr|Mr|Mrs|Ms|Prof)\.?$/.test(word));
  return type === "person" && rest.length > 0 && first.length > 2 ? [first] : [];
};
