import type { Calendar, Telling } from "./calendar.ts";
import type { Round } from "./history.ts";
import type { Filler, Topic } from "./material.ts";
import type { Random } from "./random.ts";
import { strewn } from "./words.ts";

/** Writes the conversations around what is told in them: tasks, help, lists, code, and things said in passing. */
export function roundsOf(
  day: Calendar["days"][number],
  { filler, letters, random }: { readonly filler: Filler; readonly letters: number; readonly random: Random },
): readonly Round[] {
  const writer = new Writer(filler, day.topic, random);
  return day.rounds.map((telling, index) => {
    const mean = letters / day.rounds.length;
    return { id: `${day.id}/${index + 1}`, ...writer.round(telling, mean * (0.6 + random.next() * 0.8)) };
  });
}

/** Speaks about one topic, and seldom says the same thing twice in a conversation. */
class Writer {
  readonly #filler: Filler;
  readonly #random: Random;
  readonly #lists: Filler["lists"];
  readonly #asks: Deck;
  readonly #tips: Deck;
  readonly #sentences: Deck;
  readonly #blocks: Deck;

  constructor(filler: Filler, topic: Topic, random: Random) {
    this.#filler = filler;
    this.#random = random;
    // Two conversations about the same topic are about different things of it.
    this.#lists = { ...filler.lists, thing: random.sample(topic.things, Math.ceil(topic.things.length / 2)) };
    this.#asks = new Deck(topic.asks, random);
    this.#tips = new Deck(topic.tips, random);
    this.#sentences = new Deck(filler.sentences, random);
    this.#blocks = new Deck(filler.blocks, random);
  }

  round(telling: Telling | undefined, letters: number): Omit<Round, "id"> {
    if (telling?.by === "assistant") {
      return { user: telling.request, assistant: this.#answer(letters - telling.request.length, telling.text) };
    }
    const passing = telling?.text ?? (this.#random.chance(0.5) ? this.#one(this.#filler.smallTalk) : undefined);
    const user = this.#request(passing);
    const thanks = passing !== undefined && this.#random.chance(0.7) ? `${this.#thanks(passing)} ` : "";
    return { user, assistant: thanks + this.#answer(letters - user.length - thanks.length) };
  }

  #thanks(passing: string): string {
    return this.#one(this.#filler.thanks).replaceAll("{said}", passing.slice(0, -1));
  }

  /** What is said in passing stands before, behind or amid the request. */
  #request(passing: string | undefined): string {
    const ask = this.#filled(this.#asks.next());
    const context = this.#random.chance(0.6) ? [this.#one(this.#filler.context)] : [];
    if (passing === undefined) return [ask, ...context].join(" ");
    const bridge = this.#one(this.#filler.bridges);
    const orders = [
      [passing, ...context, ask],
      [ask, ...context, bridge, passing],
      [...context, bridge, passing, ask],
      [ask, passing, ...context],
    ];
    return this.#random.pick(orders).join(" ");
  }

  /** Whole blocks until there are letters enough; what has to be said stands in one of them. */
  #answer(letters: number, said?: string): string {
    const parts = [this.#one(this.#filler.openers)];
    const held = this.#random.between(1, 2);
    for (let size = 0; size < letters - 250 || parts.length <= held;) {
      const part = this.#block(parts.length === held ? said : undefined);
      parts.push(part);
      size += part.length;
    }
    return [...parts, this.#one(this.#filler.closers)].join("\n\n");
  }

  #block(said?: string): string {
    if (said === undefined && this.#random.chance(0.2)) return this.#filled(this.#blocks.next());
    const sentences = Array.from({ length: this.#random.between(3, 6) }, () => this.#sentence());
    if (said !== undefined) sentences[this.#random.between(0, sentences.length - 1)] = said;
    if (this.#random.chance(0.5)) return sentences.join(" ");
    return sentences.map((sentence, index) => `${index + 1}. ${sentence}`).join("\n");
  }

  #sentence(): string {
    const sentence = this.#filled((this.#random.chance(0.3) ? this.#tips : this.#sentences).next());
    return this.#random.chance(0.25) ? `${sentence.slice(0, -1)}${this.#one(this.#filler.reasons)}` : sentence;
  }

  #one(templates: readonly string[]): string {
    return this.#filled(this.#random.pick(templates));
  }

  #filled(template: string): string {
    return strewn(template, this.#lists, this.#random).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  }
}

/** Hands out each template once before any comes again. */
class Deck {
  readonly #templates: readonly string[];
  readonly #random: Random;
  #left: string[] = [];

  constructor(templates: readonly string[], random: Random) {
    this.#templates = templates;
    this.#random = random;
  }

  next(): string {
    if (this.#left.length === 0) this.#left = this.#random.shuffled(this.#templates);
    return this.#left.pop() ?? this.#random.pick(this.#templates);
  }
}
