// The controls of the suburb picker: what is typed, what may be meant, what is chosen, and of which kind.
//
// It decides nothing. What is typed, picked or removed is sent to the kernel, and what there is to show comes from there.
// Everything is put in as text, never as markup. The pattern is the editable combobox of the ARIA Authoring Practices.

const PAUSE = 150; // milliseconds after the last key

let made = 0;

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function render({ model, el }) {
  const id = `suburb-controls-${++made}`;
  const input = element("input", {
    id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder: "Begin to type a name",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-hits`, "aria-describedby": `${id}-said`,
  });
  const list = element("ul", { id: `${id}-hits`, role: "listbox", "aria-label": "Suggested suburbs" });
  const said = element("p", { id: `${id}-said`, role: "status", class: "suburb-said" });
  const tags = element("ul", { class: "suburb-tags", "aria-label": "Chosen suburbs" });
  const choice = element("fieldset");
  list.hidden = true;

  let number = 0; // of what was typed last: an answer to anything older is not shown
  let active = -1;
  let timer;

  const options = () => [...list.children];

  function activate(place) {
    active = place;
    options().forEach((option, at) => option.setAttribute("aria-selected", String(at === active)));
    const option = options()[active];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  }

  function open(shown) {
    list.hidden = !shown || !list.children.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    activate(-1);
  }

  function pick(option) {
    model.send({ pick: option.dataset.name });
    clearTimeout(timer);
    input.value = "";
    typed(0);
    open(false);
    input.focus();
  }

  function typed(pause) {
    const sent = ++number;
    clearTimeout(timer);
    timer = setTimeout(() => model.send({ search: input.value, number: sent }), pause);
  }

  function showHits() {
    const answer = model.get("answer");
    if (answer.number !== number) return;
    list.replaceChildren(
      ...answer.hits.map(({ name, where }, at) => {
        const option = element("li", { id: `${id}-hit-${at}`, role: "option", "aria-selected": "false" }, name);
        option.append(" ", element("small", {}, where));
        option.dataset.name = name;
        return option;
      }),
    );
    if (answer.asked) input.focus();
    open(document.activeElement === input && input.value.trim() !== "");
  }

  function showTags() {
    tags.replaceChildren(
      ...model.get("chosen").map((name) => {
        const remove = element("button", { type: "button", "aria-label": `Remove ${name}` }, "×");
        remove.addEventListener("click", () => {
          model.send({ remove: name });
          input.focus();
        });
        return element("li", {}, element("span", {}, name), remove);
      }),
    );
  }

  function showKinds() {
    const kinds = model.get("kinds").map(({ value, label }) => {
      const radio = element("input", { type: "radio", name: `${id}-kind`, value });
      radio.checked = value === model.get("kind");
      radio.addEventListener("change", () => model.send({ kind: value }));
      return element("label", {}, radio, " ", label);
    });
    choice.replaceChildren(element("legend", {}, "Data"), ...kinds);
  }

  function showKind() {
    for (const radio of choice.querySelectorAll("input")) radio.checked = radio.value === model.get("kind");
  }

  function showSaid() {
    said.textContent = model.get("said");
  }

  const keys = {
    ArrowDown: () => (list.hidden ? open(true) : activate(Math.min(active + 1, options().length - 1))),
    ArrowUp: () => activate(Math.max(active - 1, -1)),
    Enter: () => options()[active] && pick(options()[active]),
    Escape: () => open(false),
  };
  input.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  input.addEventListener("input", () => typed(PAUSE));
  input.addEventListener("blur", () => open(false));
  list.addEventListener("mousedown", (event) => event.preventDefault()); // which would take the focus off the input
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) pick(option);
  });

  model.on("change:answer", showHits);
  model.on("change:chosen", showTags);
  model.on("change:kind", showKind);
  model.on("change:said", showSaid);
  showTags();
  showKinds();
  showSaid();
  el.append(element("label", { for: id }, "Suburb"), input, list, said, tags, choice);

  // JupyterLab takes letters, arrows and Enter for itself unless the element that has the focus says otherwise.
  const picker = (node) => node.closest?.(".suburb-picker");
  const keepKeys = ({ target }) => picker(target) && target.setAttribute("data-lm-suppress-shortcuts", "true");
  // What a button said when it was pressed goes ahead of the press: it may have changed on the way to the kernel.
  const sayPrice = ({ target }) => {
    const button = target.closest?.("button.suburb-spends");
    if (button && picker(button) === picker(el)) model.send({ seen: button.textContent });
  };
  document.addEventListener("focusin", keepKeys);
  document.addEventListener("click", sayPrice, true);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("focusin", keepKeys);
    document.removeEventListener("click", sayPrice, true);
  };
}

export default { render };
