// Draws the progress of a request: a bar, and how many of its calls have ended. Without a request it takes no room.

function render({ model, el }) {
  const bar = document.createElement("div");
  const filled = document.createElement("div");
  const label = document.createElement("span");
  bar.append(filled);
  bar.setAttribute("role", "progressbar");
  bar.setAttribute("aria-valuemin", "0");

  function show() {
    const { name, ended, total } = { name: "", ended: 0, total: 0, ...model.get("state") };
    const text = total ? `${ended} of ${total}` : "";
    el.hidden = !name;
    filled.style.width = `${total ? (100 * ended) / total : 0}%`;
    label.textContent = [name, text].filter(Boolean).join(": ");
    bar.setAttribute("aria-label", name || "No request");
    bar.setAttribute("aria-valuenow", ended);
    bar.setAttribute("aria-valuemax", total || 1);
    bar.setAttribute("aria-valuetext", text || "0");
  }
  model.on("change:state", show);
  show();
  el.append(bar, label);
}

export default { render };
