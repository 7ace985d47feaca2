// Draws the controls of the suburb picker. Every user action is sent to the kernel, and everything that is shown comes
// from the kernel.

function kindsOfData({ model, send, id }) {
  const choice = element("fieldset", {}, element("legend", {}, "Data"));
  for (const { value, label } of model.get("kinds")) {
    const radio = element("input", { type: "radio", name: `${id}-kind`, value });
    radio.addEventListener("change", () => send({ kind: value }));
    choice.append(element("label", {}, radio, " ", label));
  }
  const show = () => {
    for (const radio of choice.querySelectorAll("input")) radio.checked = radio.value === model.get("kind");
  };
  model.on("change:kind", show);
  show();
  return choice;
}

function render({ model, el }) {
  // Random, because each widget loads its own copy of this module: counters would repeat.
  const id = `suburb-${Math.random().toString(36).slice(2)}`;
  const ended = new AbortController();
  const status = element("p", { id: `${id}-said`, role: "status", class: "suburb-said" });
  const say = (text) => { status.textContent = text; };
  const send = (message) => {
    try {
      model.send(message);
    } catch { // the kernel has gone, and the page stayed
      say("The kernel was stopped or restarted. Run the cell again.");
    }
  };
  const { signal } = ended;
  const pointer = watchPointer(signal);
  const box = searchBox({ model, send, id, pointer, status, picker: () => el.closest(".suburb-picker"), signal });
  const parts = { model, send, id, pointer, focusBox: box.focus };

  model.on("change:said", () => say(model.get("said")));
  say(model.get("said"));
  listenToPage({ model, send, el, say, box, signal });
  el.append(
    ...box.parts, status, emptyState(parts), unsettledNames(parts), ...chosenList(parts), kindsOfData(parts), priceNotes(parts),
  );
  return () => ended.abort();
}

export default { render };
