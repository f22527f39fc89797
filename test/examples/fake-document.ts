/** The part of a browser's document that the chat page uses. Text is only ever text here. */
export class FakeDocument {
  readonly #elements: ReadonlyMap<string, FakeElement>;

  constructor(ids: readonly string[]) {
    this.#elements = new Map(ids.map((id) => [id, new FakeElement()]));
  }

  getElementById(id: string): FakeElement | null {
    return this.#elements.get(id) ?? null;
  }

  createElement(): FakeElement {
    return new FakeElement();
  }
}

type Listener = (event: { preventDefault(): void }) => unknown;

export class FakeElement {
  className = "";
  textContent = "";
  value = "";
  disabled = false;
  readonly children: FakeElement[] = [];
  #parent: FakeElement | null = null;
  readonly #listeners = new Map<string, Listener[]>();

  get text(): string {
    return this.textContent;
  }

  append(child: FakeElement): void {
    child.#parent = this;
    this.children.push(child);
  }

  remove(): void {
    const siblings = this.#parent?.children ?? [];
    const index = siblings.indexOf(this);
    if (index >= 0) siblings.splice(index, 1);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  dispatch(type: string): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ preventDefault: () => undefined });
  }
}
