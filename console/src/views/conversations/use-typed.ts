import { useEffect, useState } from "preact/hooks";

const TYPING_MS = 200;

/** A text that is typed, once the typing pauses. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setTyped, TYPING_MS, text);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
