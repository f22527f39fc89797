/** Tells the streams of the list of tasks which records have changed, beside the events of turns. */
export class TaskChanges {
  readonly #listeners = new Set<(taskId: string) => void>();

  /** Returns the undo. */
  subscribe(listener: (taskId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** After the change was stored. */
  changed(taskId: string): void {
    for (const listener of this.#listeners) listener(taskId);
  }
}
