import { useEffect, useState } from "preact/hooks";

/** Phones and tablets: where tables have no room for all their columns, as in the style sheet. */
export const NARROW = "(max-width: 1000px)";

/** Whether a media query holds, which follows the window. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const read = () => setHolds(media.matches);
    read();
    media.addEventListener("change", read);
    return () => media.removeEventListener("change", read);
  }, [query]);
  return holds;
}
