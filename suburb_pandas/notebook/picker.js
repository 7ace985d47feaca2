// Draws the suburb picker from the kernel's traits, and sends the user's actions to the kernel as messages. Names are
// inserted as text; the panes have HTML in which the kernel has escaped all text.

const PAUSE = 150; // milliseconds from the last keystroke to the search
const WAIT = 500; // milliseconds until a press says that the kernel is busy

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

// A part of the page whose HTML the kernel writes: a note, or a part of the result.
function pane({ model, draws }, trait, attributes = {}) {
  const node = element("div", attributes);
  draws([trait], () => { node.innerHTML = model.get(trait); });
  return node;
}

// Draws a part of the page now and whenever its traits change, but never between the press and the release of the
// pointer: a control that moved then would miss its click.
function drawing(model, signal) {
  const waiting = new Set();
  let isDown = false;
  const up = () => setTimeout(() => { // after the click, which follows at once
    isDown = false;
    waiting.forEach((draw) => draw());
    waiting.clear();
  });
  document.addEventListener("pointerdown", () => { isDown = true; }, { capture: true, signal });
  for (const type of ["pointerup", "pointercancel", "dragend"]) document.addEventListener(type, up, { capture: true, signal });
  const whenUp = (draw) => (isDown ? waiting.add(draw) : draw());
  function draws(traits, draw) {
    for (const trait of traits) model.on(`change:${trait}`, () => whenUp(draw));
    draw();
  }
  return { draws, whenUp };
}

// True for the second click of a double click if it falls on another control, because the controls have moved.
function strayClicks() {
  let last = {};
  return ({ detail, timeStamp, clientX, clientY }, control) => {
    if (!detail) return false; // a key
    const isQuick = timeStamp - last.timeStamp < 500;
    const isNear = Math.hypot(clientX - last.clientX, clientY - last.clientY) < 6;
    const isStray = isQuick && isNear && control !== last.control;
    last = { timeStamp, clientX, clientY, control };
    return isStray;
  };
}

// The text box with its suggestions: the editable combobox of the ARIA Authoring Practices Guide. The suggestions lie over
// the page, in the browser's top layer, so that nothing moves when they open or close.
function searchBox({ model, send, say, id, el, draws, whenUp, signal }) {
  const input = element("input", {
    id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder: "Type a suburb name",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-hits`, "aria-describedby": `${id}-said`,
  });
  const list = element("ul", { id: `${id}-hits`, role: "listbox", "aria-label": "Suggested suburbs" });
  const total = element("p", { class: "suburb-total" });
  const popup = element("div", { class: "suburb-popup", popover: "manual" }, list, total);
  const focused = () => el.getRootNode().activeElement;
  const isOpen = () => popup.matches(":popover-open");
  let active = -1;
  let lookUp = model.get("_suggested").look_up; // the number of the last look-up whose candidates were shown
  let timer;
  let reason = ""; // why a search began without typing: this stays visible when the suggestions arrive

  function place() { // in each frame, because no event tells of every change of the layout
    if (!isOpen() || signal.aborted) return;
    const { left, top, bottom, width } = input.getBoundingClientRect();
    const isAbove = innerHeight - bottom < popup.offsetHeight && top > innerHeight - bottom;
    popup.style.width = `${width}px`;
    popup.style.inset = `${isAbove ? top - popup.offsetHeight - 2 : bottom + 2}px auto auto ${left}px`;
    requestAnimationFrame(place);
  }

  function activate(at) {
    active = at;
    [...list.children].forEach((option, number) => option.setAttribute("aria-selected", String(number === at)));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${id}-hit-${at}`);
  }

  function open(isWanted) {
    const isShown = isWanted && list.children.length > 0 && input.isConnected;
    if (isShown !== isOpen()) popup[isShown ? "showPopover" : "hidePopover"]();
    input.setAttribute("aria-expanded", String(isShown));
    activate(-1);
    place();
  }

  function search(pause, why = "") {
    reason = why;
    if (why) say(why);
    activate(-1);
    clearTimeout(timer);
    timer = setTimeout(() => send({ search: input.value }), pause);
    show(); // if the trait has suggestions for this text already, it will not change
  }

  function empty() {
    input.value = "";
    search(0);
    open(false);
  }

  function pick(option) {
    send({ pick: option.dataset.name });
    empty();
    input.focus();
  }

  // A late answer to another text is not shown. A look-up moves the focus only in the view that has it, or if none has.
  function show() {
    const { text, hits, total: all, said, look_up: number } = model.get("_suggested");
    if (text.trim() !== input.value.trim()) return;
    list.replaceChildren(...hits.map(({ name, where }, at) => {
      const option = element("li", { id: `${id}-hit-${at}`, role: "option" }, element("bdi", {}, name), " ", element("small", {}, where));
      option.dataset.name = name;
      return option;
    }));
    total.textContent = said;
    total.hidden = all === hits.length;
    if (said || number !== lookUp) say(reason || said);
    if (number !== lookUp && (focused() === document.body || el.contains(focused()))) input.focus();
    lookUp = number;
    open(focused() === input && input.value.trim() !== "");
  }

  const go = (next) => {
    if (!isOpen()) open(true);
    activate(next(active, list.children.length - 1));
  };
  const keys = {
    ArrowDown: () => go((at, last) => Math.min(at + 1, last)),
    ArrowUp: () => go((at, last) => (at < 0 ? last : at - 1)),
    Enter: () => {
      if (isOpen() && list.children[active]) pick(list.children[active]);
      else if (input.value.trim()) send({ take: input.value });
    },
    Escape: () => open(false),
  };
  input.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  });
  input.addEventListener("input", () => search(PAUSE));
  input.addEventListener("click", () => open(input.value.trim() !== ""));
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (!/[,;\t\r\n]/.test(text.trim())) return;
    event.preventDefault();
    send({ paste: text });
  });
  input.addEventListener("blur", () => whenUp(() => focused() === input || open(false)));
  popup.addEventListener("mousedown", (event) => event.preventDefault()); // otherwise the input would lose the focus
  list.addEventListener("click", ({ target }) => target.closest("[role=option]") && pick(target.closest("[role=option]")));
  model.on("msg:custom", ({ taken }) => taken === input.value && empty());
  input.value = model.get("_suggested").text;
  draws(["_suggested"], show);
  return { input, search, parts: [element("label", { for: id }, "Suburb"), input, popup] };
}

function unsettledNames({ model, send, draws, id, box }) {
  const heading = element("p", { id: `${id}-unsettled` });
  const list = element("ul", { "aria-labelledby": `${id}-unsettled` });
  const dismissAll = button("Dismiss all", () => send({ dismiss_all: true }));
  const section = element("div", { class: "suburb-note suburb-unsettled" }, heading, list, dismissAll);

  function row({ text, why, candidates, can_be_taken: canBeTaken }) {
    const settle = (label, name) => button(label, () => send({ settle: text, name }));
    const choices = candidates.map((name) => settle(name, name));
    if (canBeTaken) choices.push(settle("Use as written", text));
    choices.push(button("×", () => send({ dismiss: text }), { "aria-label": `Dismiss ${text}` }));
    return element("li", {}, element("span", {}, "“", element("bdi", {}, text), `”: ${why}`), ...choices);
  }

  draws(["_unsettled"], () => {
    const names = model.get("_unsettled");
    const hadFocus = section.matches(":focus-within");
    heading.textContent = names.length === 1 ? "1 name needs checking" : `${names.length} names need checking`;
    list.replaceChildren(...names.map(row));
    dismissAll.hidden = names.length < 2;
    section.hidden = !names.length;
    if (hadFocus) (list.querySelector("button") ?? box.input).focus();
  });
  return section;
}

// The chosen suburbs are one Tab stop: arrow keys move in the list, Delete removes, and Ctrl+Z undoes.
function chosenList({ model, send, draws, box }) {
  const count = element("span", { class: "suburb-count" });
  const removeAll = button("Remove all", () => send({ remove_all: true }));
  const undo = button("Undo", () => send({ undo: true }));
  const bar = element("div", { class: "suburb-bar" }, count, removeAll, undo);
  const list = element("ul", { class: "suburb-tags", "aria-label": "Chosen suburbs" });
  const stops = () => [...list.querySelectorAll("button")];
  const steps = {
    ArrowRight: (at) => at + 1, ArrowDown: (at) => at + 1, ArrowLeft: (at) => at - 1, ArrowUp: (at) => at - 1,
    PageDown: (at) => at + 10, PageUp: (at) => at - 10, Home: () => 0, End: (_, last) => last,
  };

  function move(to) {
    stops().forEach((stop, at) => stop.setAttribute("tabindex", at === to ? "0" : "-1"));
    stops()[to]?.focus();
  }

  list.addEventListener("keydown", (event) => {
    const at = stops().indexOf(event.target);
    const last = stops().length - 1;
    if (at < 0) return;
    if (steps[event.key]) move(Math.max(0, Math.min(last, steps[event.key](at, last))));
    else if (event.key === "Delete" || event.key === "Backspace") event.target.click();
    else if (event.key === "z" && (event.ctrlKey || event.metaKey)) send({ undo: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  draws(["value", "_can_undo"], () => {
    const names = model.get("value");
    const at = stops().findIndex((stop) => stop.matches(":focus")); // the focus stays at its place when a suburb goes
    const hadFocus = bar.querySelector(":focus");
    const stop = Math.min(Math.max(at, 0), names.length - 1);
    list.replaceChildren(...names.map((name, place) => {
      const label = { "aria-label": `Remove ${name}`, tabindex: place === stop ? "0" : "-1" };
      return element("li", {}, element("span", {}, name), button("×", () => send({ remove: name }), label));
    }));
    list.hidden = !names.length;
    count.textContent = names.length === 1 ? "1 suburb chosen" : `${names.length.toLocaleString("en-AU")} suburbs chosen`;
    removeAll.hidden = names.length < 2;
    undo.hidden = !model.get("_can_undo");
    bar.hidden = !names.length && undo.hidden;
    if (at >= 0 && names.length) move(stop);
    else if (at >= 0 || hadFocus?.hidden) box.input.focus();
  });
  return [bar, list];
}

function kindsOfData({ model, send, draws, id }) {
  const choice = element("div", { role: "group", "aria-label": "Data", class: "suburb-bar" }, "Data");
  for (const [value, label] of Object.entries(model.get("_kinds"))) {
    const radio = element("input", { type: "radio", name: `${id}-kind`, value });
    radio.addEventListener("change", () => send({ kind: value }));
    draws(["endpoint"], () => { radio.checked = model.get("endpoint") === value; });
    choice.append(element("label", {}, radio, " ", label));
  }
  return choice;
}

// The two buttons with a price. A press names the offer that was on the button when it was drawn.
function pricedButtons({ model, send, say, draws, box }) {
  const row = element("div", { class: "suburb-buttons" });
  let isWaiting = false; // for the kernel to react to a press
  const reacted = () => {
    if (isWaiting) say("");
    isWaiting = false;
  };
  function press(name, node, number) {
    if (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1) {
      say("The price does not fit on the button, so nothing was sent. Make the page wider.");
    } else if (name === "look-up" && box.input.value.trim() !== model.get("_suggested").text.trim()) {
      box.search(0, "The text has changed. Nothing was sent; check the button, then press it again.");
    } else {
      isWaiting = send({ press: name, offer: number, look: lookOf(row) });
      setTimeout(() => isWaiting && say("The kernel is busy. This press waits for it, and counts once."), WAIT);
    }
  }
  for (const trait of ["busy", "error", "_buttons"]) model.on(`change:${trait}`, reacted);
  for (const [name, look] of [["load", "mod-primary"], ["look-up", ""]]) {
    let number;
    const node = button("", () => number && press(name, node, number), { class: `suburb-offers-${name} ${look}` });
    draws(["_buttons"], () => {
      const { label, offer } = model.get("_buttons")[name];
      number = offer;
      node.textContent = label;
      node.setAttribute("aria-disabled", String(!offer));
    });
    row.append(node);
  }
  return row;
}

function progressBar({ model, send, draws }) {
  const bar = element("progress");
  const label = element("span");
  const section = element("div", { class: "suburb-progress" }, bar, label, button("Cancel", () => send({ cancel: true })));
  draws(["_progress"], () => {
    const { name = "", ended = 0, total = 0 } = model.get("_progress");
    section.hidden = !name;
    bar.max = total || 1;
    bar.value = ended;
    bar.setAttribute("aria-label", name);
    label.textContent = total ? `${name}: ${ended} of ${total}` : name;
  });
  return section;
}

// The colour behind an element, the first that is not transparent. Above a shadow root comes its host.
function backgroundOf(node) {
  for (let one = node; one; one = one.parentElement ?? one.getRootNode().host) {
    const colour = getComputedStyle(one).backgroundColor;
    if (!/^rgba\(.*, 0\)$/.test(colour)) return colour;
  }
  return "";
}

// What a chart depends on: the colour of the page, the width of the controls and the resolution of the screen.
const lookOf = (node) => ({ background: backgroundOf(node), width: node.clientWidth, ratio: devicePixelRatio });

// Copies a line of code. Without https, and where the browser forbids it, the user has to.
async function copy(code, say) {
  const isCopied = await navigator.clipboard?.writeText(code).then(() => true, () => false);
  say(isCopied ? "The line was copied" : "The browser does not allow this button to copy: select the line and copy it");
}

function render({ model, el }) {
  const ended = new AbortController();
  const id = `suburb-${crypto.getRandomValues(new Uint32Array(1))[0]}`; // two views must not share it
  const status = element("p", { id: `${id}-said`, role: "status", class: "suburb-said" });
  const say = (text) => { status.textContent = text || "\u00a0"; }; // its line stays, so that nothing moves
  const send = (message) => {
    try {
      model.send(message);
      return true;
    } catch { // the kernel has gone, and the page stayed
      say("The kernel was stopped or restarted. Run the cell again.");
      return false;
    }
  };
  const page = { model, send, say, id, el, signal: ended.signal, ...drawing(model, ended.signal) };
  const box = page.box = searchBox(page);
  page.draws(["_said"], () => say(model.get("_said")));
  const alert = element("div", { role: "alert" });
  page.draws(["error"], () => { alert.textContent = model.get("error"); });
  const controls = element("div", { class: "suburb-controls" },
    pane(page, "_made_up"), ...box.parts, status, pane(page, "_advice", { class: "suburb-advice" }), unsettledNames(page),
    ...chosenList(page), kindsOfData(page),
    // A screen reader announces warnings, but not the limits, which stand there all the time.
    element("div", { class: "suburb-price" }, pane(page, "_charges", { "aria-live": "polite" }), pane(page, "_limits")),
    pricedButtons(page), progressBar(page), alert, pane(page, "_warnings"),
  );
  const result = element("div", { class: "suburb-result" },
    pane(page, "_heading"), pane(page, "_line", { class: "suburb-controls" }), pane(page, "_chart"), pane(page, "_table"));
  page.draws(["_is_current"], () => result.classList.toggle("suburb-stale", !model.get("_is_current")));
  el.classList.add("suburb-picker");
  el.append(controls, result, pane(page, "_again", { class: "suburb-controls" }));

  const isStray = strayClicks();
  el.addEventListener("click", (event) => {
    const control = event.target.closest("label") ?? event.target.closest("button, input, [role=option]");
    if (!control) return;
    if (isStray(event, control) && !control.matches("[type=text]")) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (control.matches(".suburb-copy")) copy(control.previousElementSibling.textContent, say);
    else if (control.matches(".suburb-check")) send({ check_price: true });
  }, { capture: true });
  // JupyterLab handles letters, arrows and Enter itself unless the focused element has this attribute.
  el.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  // A theme's style sheet arrives after the attribute that names it.
  const themes = new MutationObserver(() => setTimeout(() => send({ look: lookOf(controls) }), 300));
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributes: true });
  return () => {
    themes.disconnect();
    ended.abort();
  };
}

export default { render };
