import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The height of a row in CSS pixels, as in the style sheet. */
export const ROW_HEIGHT = 33;
/** Rows that are drawn above and below what is visible. */
const MARGIN_ROWS = 12;

interface Window {
  readonly first: number;
  readonly end: number;
}

/** Which of `count` rows are near the visible part of a scrolled box. */
export function useVirtualWindow(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): Window {
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let frame = 0;
    const read = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setView({ top: element.scrollTop, height: element.clientHeight }));
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, []);
  const first = Math.max(0, Math.min(count, Math.floor(view.top / rowHeight)) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + MARGIN_ROWS);
  return { first, end };
}
