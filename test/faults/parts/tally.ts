import type { Test } from "tap";
import { report } from "./report.ts";

/** Counts of a test file, reported at its end. */
export class Tally {
  tried = 0;
  checked = 0;
  held = 0;

  add(held: number, checked: number): void {
    this.held += held;
    this.checked += checked;
  }

  print(t: Test): void {
    report(t, { "faults tried": this.tried, "invariants held": `${this.held} of ${this.checked}` });
  }
}
