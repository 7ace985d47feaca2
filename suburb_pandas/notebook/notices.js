// Draws advice where nothing is found, the pasted names that are not settled, and the notes on the price.

function emptyState({ model, pointer }) {
  const pane = element("div", { class: "suburb-note suburb-advice" });
  const show = () => {
    pane.replaceChildren(...paragraphs(model.get("advice")));
    pane.hidden = !pane.children.length;
  };
  pointer.onChange(model, ["advice"], show);
  show();
  return pane;
}

const LONGEST = 60; // letters of a text that is not settled

function unsettledNames({ model, send, pointer, id, focusBox }) {
  const heading = element("p", { id: `${id}-unsettled` });
  const list = element("ul", { "aria-labelledby": `${id}-unsettled` });
  const dismissAll = button("Dismiss all", () => send({ dismiss_all: true }));
  const pane = element("div", { class: "suburb-note suburb-unsettled" }, heading, list, dismissAll);

  function row({ text, why, candidates, can_be_taken: canBeTaken }) {
    const settle = (name) => button(name, () => send({ settle: text, name }));
    const asWritten = () => button("Use as written", () => send({ settle: text, name: text }));
    const dismiss = button("×", () => send({ dismiss: text }), { "aria-label": `Dismiss ${text}` });
    const choices = [...candidates.map(settle), ...(canBeTaken ? [asWritten()] : []), dismiss];
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    return element("li", {}, element("span", {}, "“", element("bdi", {}, shown), `”: ${why}`), ...choices);
  }

  function show() {
    const names = model.get("unsettled");
    const hadFocus = pane.contains(document.activeElement);
    heading.textContent = names.length === 1 ? "1 name needs checking" : `${names.length} names need checking`;
    list.replaceChildren(...names.map(row));
    dismissAll.hidden = names.length < 2;
    pane.hidden = !names.length;
    if (hadFocus) (list.querySelector("button") ?? { focus: focusBox }).focus();
  }
  pointer.onChange(model, ["unsettled"], show);
  show();
  return pane;
}

// A screen reader announces warnings, but not the limits, which stand there all the time.
function priceNotes({ model, send, pointer }) {
  const warnings = element("div", { "aria-live": "polite" });
  const limits = element("div");
  const pane = element("div", { class: "suburb-price" }, warnings, limits);
  const again = () => button("Check the price again", () => send({ check_price: true }));
  const show = () => {
    const notes = model.get("price");
    warnings.replaceChildren(...paragraphs(notes.filter(({ kind }) => kind !== "limits")));
    limits.replaceChildren(...paragraphs(notes.filter(({ kind }) => kind === "limits")));
    warnings.querySelector(".suburb-unpriced, .suburb-over")?.append(" ", again());
    pane.hidden = !notes.length;
  };
  pointer.onChange(model, ["price"], show);
  show();
  return pane;
}
