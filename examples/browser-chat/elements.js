/** An element with its properties and children. What comes from the agent is only ever text, never markup. */
export function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export const button = (label, onclick) => element("button", { type: "button", textContent: label, onclick });

/** Puts a form in the place of what is edited. `save` gets the new text; `close` is called after it, and on a cancel. */
export function edit(place, text, { label, save, close }) {
  const input = element("textarea", { value: text, ariaLabel: label });
  const form = element("form", { className: "editor" }, input, element("button", { textContent: "Save" }));
  form.append(button("Cancel", () => finish()));
  const finish = () => {
    form.remove();
    close();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (input.value.trim() === "") return;
    await save(input.value.trim());
    finish();
  });
  place.replaceChildren(form);
  input.focus();
}

/** A redraw would lose what a person types. */
export const isEdited = (place) => place.querySelector("form.editor") !== null;
