import { type TextEmbedder, isOfTexts } from "./text-embedder.ts";

/** About 1000 tokens, in characters. */
export const LONGEST_TEXT = 4000;
/** What a model refuses is cut in half, down to this. */
const SHORTEST_TEXT = 500;

interface Embedding<Item> {
  readonly embed: (texts: readonly string[]) => ReturnType<TextEmbedder["embed"]>;
  /** A vector for each of these items, in order. */
  readonly made: (items: readonly Item[], vectors: Awaited<ReturnType<TextEmbedder["embed"]>>) => Promise<void> | void;
  /** The endpoint refuses this text at any length. */
  readonly refused: (item: Item, error: unknown) => Promise<void> | void;
}

/** Makes vectors of texts in one call. Texts that are refused are sent one by one, and shorter. */
export async function embedTexts<Item extends { readonly text: string }>(
  items: readonly Item[],
  { embed, made, refused }: Embedding<Item>,
  length: number = LONGEST_TEXT,
): Promise<void> {
  let vectors: Awaited<ReturnType<TextEmbedder["embed"]>>;
  try {
    vectors = await embed(items.map(({ text }) => text.slice(0, length).toWellFormed()));
  } catch (error) {
    if (!isOfTexts(error)) throw error;
    const [only] = items;
    if (items.length > 1) for (const one of items) await embedTexts([one], { embed, made, refused }, length);
    else if (length > SHORTEST_TEXT) await embedTexts(items, { embed, made, refused }, length / 2);
    else if (only !== undefined) await refused(only, error);
    return;
  }
  await made(items, vectors);
}
