/** One line of `orchctl doctor`. */
export interface HostCheck {
  /** The name of the check: one word. */
  readonly name: string;
  /** `problem`: something does not work. `warning`: something should be improved, or will fail soon. */
  readonly status: "ok" | "warning" | "problem";
  readonly message: string;
  /** A command or setting that removes the problem; null when nothing is wrong. */
  readonly fix: string | null;
}

export const passed = (name: string, message: string): HostCheck => ({ name, status: "ok", message, fix: null });
export const warned = (name: string, message: string, fix: string): HostCheck => ({
  name,
  status: "warning",
  message,
  fix,
});
export const failed = (name: string, message: string, fix: string): HostCheck => ({
  name,
  status: "problem",
  message,
  fix,
});
