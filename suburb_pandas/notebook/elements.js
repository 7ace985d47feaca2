// Makes elements of the page. Text is always inserted as text, never as markup.
// controls.py joins this file and its neighbours to one module, which controls.js ends.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function button(label, press, attributes = {}) {
  const node = element("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", press);
  return node;
}

// A line of code with a button that copies it; pageActions in page.js handles the button.
function copyable(code) {
  return element("span", { class: "suburb-code" }, element("code", {}, code), button("Copy", () => {}, { class: "suburb-copy" }));
}

// Notes from the kernel: sentences, each with a line of code to copy or without one.
function paragraphs(notes) {
  return notes.map(({ text, code, kind }) => {
    const note = element("p", { class: `suburb-${kind}` }, text);
    if (code) note.append(" ", copyable(code));
    return note;
  });
}
