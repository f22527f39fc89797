import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Half pixels of a zoomed page are no hidden content. */
const TOLERANCE = 2;

/** Says of a row that is scrolled sideways which of its ends are hidden, for its style. `key` changes with the row. */
export function useHiddenEnds(row: RefObject<HTMLElement | null>, key: unknown): void {
  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return undefined;
    const read = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element;
      const ends = [
        ...(scrollLeft > TOLERANCE ? ["start"] : []),
        ...(scrollLeft + clientWidth < scrollWidth - TOLERANCE ? ["end"] : []),
      ];
      if (ends.length === 0) delete element.dataset["hidden"];
      else element.dataset["hidden"] = ends.join(" ");
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, [key]);
}
