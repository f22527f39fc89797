import type { Printer, Style } from "./output.ts";

/** A printer whose output can be held back, while a person writes a line on the same terminal. */
export interface HeldPrinter extends Printer {
  /** Ends the line that is being printed. */
  beforeHold: () => void;
  hold(): void;
  /** Prints what was held, in order. */
  release(): void;
}

export function holdable(print: Printer): HeldPrinter {
  let held: (() => void)[] | null = null;
  const orHeld = (work: () => void): void => {
    if (held === null) work();
    else held.push(work);
  };
  const printer: HeldPrinter = {
    ...print,
    beforeHold: () => undefined,
    write: (text: string, style?: Style) => orHeld(() => print.write(text, style)),
    line: (text: string, style?: Style) => orHeld(() => print.line(text, style)),
    record: (value: unknown) => orHeld(() => print.record(value)),
    note: (text: string) => orHeld(() => print.note(text)),
    hold() {
      printer.beforeHold();
      held ??= [];
    },
    release() {
      const works = held ?? [];
      held = null;
      for (const work of works) work();
    },
  };
  return printer;
}
