// Draws the controls of the suburb picker: a text box, its suggestions, the chosen suburbs, and the kind of data.
//
// Every user action is sent to the kernel, and everything that is shown comes from the kernel. The two buttons of the
// picker belong to ipywidgets. Their clicks are intercepted, so that the message to the kernel can name the offer.
// Text is always inserted as text, never as markup. The pattern is the editable combobox of the ARIA Authoring
// Practices Guide.

const PAUSE = 150; // milliseconds from the last keystroke to the search

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function render({ model, el }) {
  // Random, because each widget loads its own copy of this module: counters would repeat.
  const id = `suburb-${Math.random().toString(36).slice(2)}`;
  const input = element("input", {
    id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder: "Begin to type a name",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-hits`, "aria-describedby": `${id}-said`,
  });
  const list = element("ul", { id: `${id}-hits`, role: "listbox", "aria-label": "Suggested suburbs" });
  const status = element("p", { id: `${id}-said`, role: "status", class: "suburb-said" });
  const tags = element("ul", { class: "suburb-tags", "aria-label": "Chosen suburbs" });
  const choice = element("fieldset");
  list.hidden = true;

  let keystroke = 0;
  let latestSearch = model.get("answer").number; // the last search of this page; only its answer is shown
  let latestLookUp = model.get("answer").asked; // the number of the last look-up whose candidates were shown
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
    keystroke += 1;
    latestSearch = `${id}.${keystroke}`;
    activate(-1);
    clearTimeout(timer);
    timer = setTimeout(() => model.send({ search: input.value, number: latestSearch }), pause);
  }

  function showHits() {
    const answer = model.get("answer");
    const isNewLookUp = answer.asked > latestLookUp && answer.text === input.value.trim();
    if (answer.number !== latestSearch && !isNewLookUp) return;
    latestLookUp = Math.max(latestLookUp, answer.asked);
    list.replaceChildren(
      ...answer.hits.map(({ name, where }, at) => {
        const option = element("li", { id: `${id}-hit-${at}`, role: "option", "aria-selected": "false" }, name);
        option.append(" ", element("small", {}, where));
        option.dataset.name = name;
        return option;
      }),
    );
    if (answer.said) status.textContent = answer.said;
    const focused = document.activeElement;
    if (isNewLookUp && (focused === document.body || picker(el)?.contains(focused))) input.focus();
    open(document.activeElement === input && input.value.trim() !== "");
  }

  function showTags() {
    const hadFocus = tags.contains(document.activeElement);
    tags.replaceChildren(
      ...model.get("chosen").map((name) => {
        const remove = element("button", { type: "button", "aria-label": `Remove ${name}` }, "×");
        remove.addEventListener("click", () => model.send({ remove: name }));
        return element("li", {}, element("span", {}, name), remove);
      }),
    );
    if (hadFocus) input.focus();
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
    status.textContent = model.get("said");
  }

  function go(place) {
    if (list.hidden) open(true);
    activate(place);
  }

  const keys = {
    ArrowDown: () => go(Math.min(active + 1, options().length - 1)),
    ArrowUp: () => go(active < 0 ? options().length - 1 : active - 1),
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
  input.addEventListener("click", () => open(input.value.trim() !== ""));
  input.addEventListener("blur", () => open(false));
  list.addEventListener("mousedown", (event) => event.preventDefault()); // otherwise the input would lose the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) pick(option);
  });

  const picker = (node) => node.closest(".suburb-picker");
  // JupyterLab handles letters, arrows and Enter itself unless the focused element has this attribute.
  const keepKeys = ({ target }) => picker(target) && target.setAttribute("data-lm-suppress-shortcuts", "true");
  // Sends a press together with the offer and the label that the user saw, which ipywidgets' own message lacks.
  const press = (event) => {
    const button = event.target.closest("button[class*=suburb-offers-]");
    if (!button || picker(button) !== picker(el)) return;
    event.stopImmediatePropagation();
    const [, name] = button.className.match(/suburb-offers-([a-z-]+)/);
    model.send({ press: name, offer: model.get("offers")[name], seen: button.textContent });
  };
  document.addEventListener("focusin", keepKeys);
  document.addEventListener("click", press, true);

  model.on("change:answer", showHits);
  model.on("change:chosen", showTags);
  model.on("change:kind", showKind);
  model.on("change:said", showSaid);
  input.value = model.get("text");
  showHits();
  showTags();
  showKinds();
  showSaid();
  el.append(element("label", { for: id }, "Suburb"), input, list, status, tags, choice);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("focusin", keepKeys);
    document.removeEventListener("click", press, true);
  };
}

export default { render };
