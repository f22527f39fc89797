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

/** Speaks about one topic, or rather about a part of it: two conversations about the same are not the same. */
class Writer {
  readonly #filler: Filler;
  readonly #topic: Topic;
  readonly #random: Random;

  constructor(filler: Filler, topic: Topic, random: Random) {
    this.#filler = filler;
    this.#random = random;
    this.#topic = {
      name: topic.name,
      things: random.sample(topic.things, Math.ceil(topic.things.length / 3)),
      asks: random.sample(topic.asks, Math.ceil(topic.asks.length / 2)),
      tips: random.sample(topic.tips, Math.ceil(topic.tips.length / 2)),
    };
  }

  round(telling: Telling | undefined, letters: number): Omit<Round, "id"> {
    const filler = this.#filler;
    if (telling?.by === "assistant") {
      return { user: telling.request, assistant: this.#answer(letters - telling.request.length, telling.text) };
    }
    const passing = telling?.text ?? (this.#random.chance(0.5) ? this.#one(filler.smallTalk) : undefined);
    const user = this.#request(passing);
    const thanks = passing !== undefined && this.#random.chance(0.7) ? `${this.#thanks(passing)} ` : "";
    return { user, assistant: thanks + this.#answer(letters - user.length - thanks.length) };
  }

  #thanks(passing: string): string {
    return this.#one(this.#filler.thanks).replaceAll("{said}", passing.slice(0, -1));
  }

  /** What is said in passing stands before, behind or amid the request. */
  #request(passing: string | undefined): string {
    const ask = this.#one(this.#topic.asks);
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
    if (said === undefined && this.#random.chance(0.22)) return this.#one(this.#filler.blocks);
    const sentences = Array.from({ length: this.#random.between(3, 6) }, () => this.#sentence());
    if (said !== undefined) sentences[this.#random.between(0, sentences.length - 1)] = said;
    if (this.#random.chance(0.5)) return sentences.join(" ");
    return sentences.map((sentence, index) => `${index + 1}. ${sentence}`).join("\n");
  }

  #sentence(): string {
    const sentence = this.#one(this.#random.chance(0.65) ? this.#topic.tips : this.#filler.sentences);
    return this.#random.chance(0.4) ? `${sentence.slice(0, -1)}${this.#one(this.#filler.reasons)}` : sentence;
  }

  #one(templates: readonly string[]): string {
    return strewn(
      this.#random.pick(templates),
      { ...this.#filler.lists, thing: this.#topic.things },
      this.#random,
    ).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  }
}
