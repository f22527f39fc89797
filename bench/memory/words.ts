import type { Random } from "./random.ts";

type Lists = Readonly<Record<string, readonly string[]>>;

/** The words of one history: each is handed out once, so that no two stories in it share a name by accident. */
export class Words {
  readonly #lists: Lists;
  readonly #random: Random;
  readonly #decks = new Map<string, string[]>();

  constructor(lists: Lists, random: Random) {
    this.#lists = lists;
    this.#random = random;
  }

  /** Fills the templates that belong together: the same name stands for the same word in all of them. */
  story(given: Readonly<Record<string, string>> = {}): (template: string) => string {
    const bound = new Map(Object.entries(given));
    return (template) =>
      template.replaceAll(/\{([a-z]+)(\d?)\}/g, (_, list: string, number: string) => {
        const word = bound.get(list + number) ?? this.draw(list);
        bound.set(list + number, word);
        return word;
      });
  }

  draw(list: string): string {
    const deck = this.#decks.get(list) ?? this.#random.shuffled(this.#list(list));
    this.#decks.set(list, deck);
    const word = deck.pop();
    if (word === undefined) throw new Error(`the list "${list}" has too few words for one history`);
    return word;
  }

  #list(name: string): readonly string[] {
    const list = this.#lists[name];
    if (list === undefined) throw new Error(`no list of words is called "${name}"`);
    return list;
  }
}

/** Fills a template of which nothing is ever asked: words may come again. */
export function strewn(template: string, lists: Lists, random: Random): string {
  return template
    .replaceAll(/\{([a-z]+)\d?\}/g, (whole, list: string) => random.pick(lists[list] ?? [whole]))
    .replaceAll(/\b([Aa]) (?=[aeio])/g, "$1n ")
    .replaceAll(/\b([Aa])n (?=[b-df-gj-np-tv-z])/g, "$1 ");
}
