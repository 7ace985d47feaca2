// The text box with its suggestions: the editable combobox of the ARIA Authoring Practices Guide. The suggestions lie
// over the page, in the browser's top layer, so that nothing below them moves when they open or close.

const PAUSE = 150; // milliseconds from the last keystroke to the search
const GAP = 2; // pixels between the box and its suggestions

// Keeps a popup below a box, or above it where there is more room, and hides it when the box is scrolled out of view.
function anchored(popup, box, signal) {
  const isOpen = () => popup.matches(":popover-open");

  function place() {
    const { left, top, bottom, width } = box.getBoundingClientRect();
    const below = window.innerHeight - bottom;
    const isAbove = below < popup.offsetHeight + GAP && top > below;
    popup.style.left = `${left}px`;
    popup.style.width = `${width}px`;
    popup.style.top = isAbove ? "auto" : `${bottom + GAP}px`;
    popup.style.bottom = isAbove ? `${window.innerHeight - top + GAP}px` : "auto";
  }

  // In each frame, because no event tells of every change of the layout.
  function follow() {
    if (!isOpen() || signal.aborted) return;
    place();
    requestAnimationFrame(follow);
  }

  function show(isShown) {
    if (isShown === isOpen()) return;
    popup[isShown ? "showPopover" : "hidePopover"]();
    follow();
  }

  const observer = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting || show(false));
  observer.observe(box);
  signal.addEventListener("abort", () => observer.disconnect());
  return { isOpen, show };
}

// The list of suggestions, with the active one.
function suggestionList({ id, input, signal }) {
  const list = element("ul", { id: `${id}-hits`, role: "listbox", "aria-label": "Suggested suburbs" });
  const total = element("p", { class: "suburb-total" });
  const popup = element("div", { class: "suburb-popup", popover: "manual" }, list, total);
  const { isOpen, show } = anchored(popup, input, signal);
  const options = () => [...list.children];
  let active = -1;

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

  function open(isWanted) {
    const isShown = isWanted && list.children.length > 0 && input.isConnected;
    show(isShown);
    input.setAttribute("aria-expanded", String(isShown));
    activate(-1);
  }

  function go(next) {
    if (!isOpen()) open(true);
    activate(next(active, options().length - 1));
  }

  function fill({ hits, said, total: number }) {
    list.replaceChildren(
      ...hits.map(({ name, where }, at) => {
        const option = element("li", { id: `${id}-hit-${at}`, role: "option", "aria-selected": "false" }, name);
        option.append(" ", element("small", {}, where));
        option.dataset.name = name;
        return option;
      }),
    );
    total.textContent = said;
    total.hidden = number === hits.length;
  }

  const chosen = () => (isOpen() ? options()[active] : undefined);
  return { popup, list, open, go, fill, chosen, leave: () => activate(-1) };
}

function searchBox({ model, send, id, pointer, status, picker, signal }) {
  const input = element("input", {
    id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder: "Type a suburb name",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-hits`, "aria-describedby": `${id}-said`,
  });
  const { popup, list, open, go, fill, chosen, leave } = suggestionList({ id, input, signal });

  let keystroke = 0;
  let latestSearch = model.get("answer").number; // the last search of this page; only its answer is shown
  let latestLookUp = model.get("answer").asked; // the number of the last look-up whose candidates were shown
  let latestSaid = "";
  let isQuiet = false; // true while the status shows a sentence that the number of suggestions must not replace
  let timer;

  function search(pause) {
    keystroke += 1;
    latestSearch = `${id}.${keystroke}`;
    leave();
    clearTimeout(timer);
    timer = setTimeout(() => send({ search: input.value, number: latestSearch }), pause);
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

  function showAnswer() {
    const answer = model.get("answer");
    const isNewLookUp = answer.asked > latestLookUp && answer.text === input.value.trim();
    if (answer.number !== latestSearch && !isNewLookUp) return;
    latestLookUp = Math.max(latestLookUp, answer.asked);
    fill(answer);
    if (!isQuiet && (answer.said || status.textContent === latestSaid)) status.textContent = answer.said;
    latestSaid = answer.said;
    isQuiet = false;
    const focused = document.activeElement;
    if (isNewLookUp && (focused === document.body || picker()?.contains(focused))) input.focus();
    open(document.activeElement === input && input.value.trim() !== "");
  }

  // Without a suggestion chosen, the kernel takes the text if it is the name of a suburb, or several.
  function enter() {
    if (chosen()) pick(chosen());
    else if (input.value.trim()) send({ take: input.value });
  }

  const keys = {
    ArrowDown: () => go((at, last) => Math.min(at + 1, last)),
    ArrowUp: () => go((at, last) => (at < 0 ? last : at - 1)),
    Enter: enter,
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
  // A press of a button below takes effect first: the list closes when the pointer is up.
  const close = () => document.activeElement === input || open(false);
  input.addEventListener("blur", () => pointer.whenUp(close));
  popup.addEventListener("mousedown", (event) => event.preventDefault()); // otherwise the input would lose the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) pick(option);
  });

  model.on("change:answer", showAnswer);
  model.on("msg:custom", ({ taken }) => taken !== undefined && input.value === taken && empty());
  input.value = model.get("text");
  showAnswer();
  signal.addEventListener("abort", () => clearTimeout(timer));

  // True if the kernel has searched for the text in this box. The box of another view may hold another text.
  const isSearched = () => input.value.trim() === model.get("text").trim();
  return {
    parts: [element("label", { for: id }, "Suburb"), input, popup],
    focus: () => input.focus(),
    isSearched,
    searchQuietly: () => {
      isQuiet = true;
      search(0);
    },
  };
}
