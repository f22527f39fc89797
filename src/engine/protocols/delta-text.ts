import type { EventRow } from "./engine-calls.ts";

const START = '{"text":';

export const isDelta = ({ type }: EventRow): boolean => type === "text_delta" || type === "thinking_delta";

/**
 * The text of a stored delta, of which there are many. Only the text is read as JSON: the first quote that a comma and another
 * quote follow ends it, because quotes inside of it are escaped.
 */
export function deltaText({ data }: EventRow): string {
  const end = data.indexOf('","');
  const isFirst = data.startsWith(START) && end > 0;
  return isFirst
    ? (JSON.parse(data.slice(START.length, end + 1)) as string)
    : (JSON.parse(data) as { readonly text: string }).text;
}
