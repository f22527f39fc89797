import { setTimeout as sleep } from "node:timers/promises";
import { CliFailure } from "./exit-codes.ts";
import { type Printer, clearLines, emit } from "./output.ts";
import { shortened } from "./table.ts";

interface LiveView<T> {
  readonly print: Printer;
  readonly intervalS: number;
  readonly read: () => Promise<T>;
  /** `columns`: null without a terminal. */
  readonly describe: (value: T, columns: number | null) => string;
}

/**
 * Shows a value repeatedly until Ctrl-C: in place on a terminal, otherwise as one document after the other. A daemon
 * that does not answer is waited for.
 */
export async function showLive<T>({ print, intervalS, read, describe }: LiveView<T>): Promise<never> {
  const screen = new Screen();
  let last = "";
  for (;;) {
    const columns = print.columns();
    const isScreen = columns !== null && !print.json;
    try {
      const value = await read();
      if (isScreen) screen.draw((last = describe(value, columns)), columns);
      else print.document(value, () => `${describe(value, null)}\n`);
    } catch (error) {
      if (!isPassing(error)) throw error;
      const problem = `${new Date().toLocaleTimeString("en-GB")}  ${error.message}; retrying`;
      if (isScreen) screen.draw([...(last === "" ? [] : [last, ""]), problem].join("\n"), columns);
      else print.note(`orchctl: ${problem}`);
    }
    await sleep(intervalS * 1000);
  }
}

const isPassing = (error: unknown): error is CliFailure =>
  error instanceof CliFailure && (error.exit === "unavailable" || error.exit === "timeout");

/** The lines at the end of the terminal that are redrawn. */
class Screen {
  #lines = 0;

  draw(text: string, columns: number): void {
    const stream = process.stdout;
    const room = Math.max(1, (stream.rows || 24) - 1);
    const all = text.split("\n");
    const shown = all.length <= room ? all : [...all.slice(0, room - 1), `… ${all.length - room + 1} more lines`];
    clearLines(stream, this.#lines);
    emit(stream, `${shown.map((line) => shortened(line, columns)).join("\n")}\n`);
    this.#lines = shown.length;
  }
}
