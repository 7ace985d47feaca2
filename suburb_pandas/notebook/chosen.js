// The chosen suburbs: a list with a single Tab stop, in which the arrow keys move, Delete removes, and Ctrl+Z undoes.

function chosenList({ model, send, id, pointer, focusBox }) {
  const count = element("span", { id: `${id}-count`, class: "suburb-count" });
  const removeAll = button("Remove all", () => send({ remove_all: true }));
  const undo = button("Undo", () => send({ undo: true }));
  const list = element("ul", { class: "suburb-tags", "aria-label": "Chosen suburbs" });
  const bar = element("div", { class: "suburb-bar" }, count, removeAll, undo);

  const stops = () => [...list.querySelectorAll("button")];

  function move(to) {
    const buttons = stops();
    buttons.forEach((one, at) => one.setAttribute("tabindex", at === to ? "0" : "-1"));
    buttons[to]?.focus();
  }

  const steps = {
    ArrowRight: (at) => at + 1, ArrowDown: (at) => at + 1, ArrowLeft: (at) => at - 1, ArrowUp: (at) => at - 1,
    PageDown: (at) => at + 10, PageUp: (at) => at - 10, Home: () => 0, End: (_, last) => last,
  };
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

  function tag(name, at, stop) {
    const label = { "aria-label": `Remove ${name}`, tabindex: at === stop ? "0" : "-1" };
    return element("li", {}, element("span", {}, name), button("×", () => send({ remove: name }), label));
  }

  function show() {
    const names = model.get("chosen");
    const at = stops().indexOf(document.activeElement); // the focus stays at its place when a suburb goes
    const hadFocus = bar.contains(document.activeElement) ? document.activeElement : null;
    const stop = Math.min(Math.max(at, 0), names.length - 1);
    list.replaceChildren(...names.map((name, place) => tag(name, place, stop)));
    list.hidden = !names.length;
    count.textContent = names.length === 1 ? "1 suburb chosen" : `${names.length.toLocaleString("en-AU")} suburbs chosen`;
    removeAll.hidden = names.length < 2;
    undo.hidden = !model.get("can_undo");
    bar.hidden = !names.length && undo.hidden;
    if (at >= 0 && names.length) move(stop);
    else if (at >= 0 || hadFocus?.hidden) focusBox();
  }

  pointer.onChange(model, ["chosen", "can_undo"], show);
  show();
  return [bar, list];
}
