/** Ids of these protocols follow from those of the turn, so that nothing has to be stored. */
const TURN = "turn_";

/** Where an answer of a turn begins: after this event. 0: with the turn. */
export interface AnswerPlace {
  readonly turnId: string;
  readonly afterSeq: number;
}

export function answerId(prefix: string, { turnId, afterSeq }: AnswerPlace): string {
  return prefix + turnId.slice(TURN.length) + (afterSeq === 0 ? "" : `_${afterSeq}`);
}

/** Null for an id of another form. */
export function placeOf(prefix: string, id: string): AnswerPlace | null {
  const [, turn, seq = "0"] =
    (id.startsWith(prefix) && /^([0-9a-f-]{36})(?:_(\d{1,15}))?$/.exec(id.slice(prefix.length))) || [];
  return turn === undefined ? null : { turnId: TURN + turn, afterSeq: Number(seq) };
}

/** The id of an item that a block of a turn makes. */
export const itemId = (prefix: string, turnId: string, block: number | string): string =>
  `${prefix}${turnId.slice(TURN.length)}_${block}`;

/** The turn of an item, of any kind. Null for an id of another form. */
export function turnOfItem(id: string): string | null {
  const turn = /^[a-z]{2,10}_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_|$)/.exec(id)?.[1];
  return turn === undefined ? null : TURN + turn;
}
