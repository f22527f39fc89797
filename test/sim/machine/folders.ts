/** What an engine has stored, which survives its process. */
export interface Folder {
  /** The turns that were accepted, by id, with how often each ran to its end. */
  readonly turns: Map<string, number>;
}

const newFolder = (): Folder => ({ turns: new Map() });

/** The files of engines. */
export class Folders {
  readonly #ofEngines = new Map<string, Folder>();
  readonly #kept = new Map<string, Folder>();
  /** Engines whose data were restored for a provision that is not finished. */
  readonly restored = new Set<string>();

  of(engineId: string): Folder | undefined {
    return this.#ofEngines.get(engineId);
  }

  /** As the engine's launch does when it is missing. */
  make(engineId: string): Folder {
    const folder = this.#ofEngines.get(engineId) ?? newFolder();
    this.#ofEngines.set(engineId, folder);
    return folder;
  }

  ids(): readonly string[] {
    return [...this.#ofEngines.keys()];
  }

  prepare(engineId: string, user: string): void {
    const kept = this.#kept.get(user);
    if (kept === undefined) {
      this.make(engineId);
      return;
    }
    this.#kept.delete(user);
    this.#ofEngines.set(engineId, kept);
    this.restored.add(engineId);
  }

  discard(engineId: string, user: string): void {
    if (this.restored.delete(engineId)) this.keep(engineId, user);
    else this.#ofEngines.delete(engineId);
  }

  keep(engineId: string, user: string): void {
    const folder = this.#ofEngines.get(engineId);
    this.#ofEngines.delete(engineId);
    if (folder !== undefined) this.#kept.set(user, folder);
  }

  erase(engineId: string): void {
    this.#ofEngines.delete(engineId);
  }

  hasKept(user: string): boolean {
    return this.#kept.has(user);
  }

  eraseKept(user: string): void {
    this.#kept.delete(user);
  }
}
