// Listens to the whole page: to the pointer, presses of the two priced buttons, copying, and changes of its look.
// The priced buttons belong to ipywidgets. Their clicks are intercepted, so that the message to the kernel can name the
// offer and the label that the user saw.

// Holds back changes that would move a control between the press and the release of the pointer.
function watchPointer(signal) {
  let isDown = false;
  let waiting = [];
  const down = () => { isDown = true; };
  const up = () => setTimeout(() => { // after the click, which follows at once
    isDown = false;
    const calls = waiting;
    waiting = [];
    calls.forEach((call) => call());
  });
  document.addEventListener("pointerdown", down, { capture: true, signal });
  for (const type of ["pointerup", "pointercancel", "dragend"]) document.addEventListener(type, up, { capture: true, signal });
  const whenUp = (call) => (isDown ? waiting.push(call) : call());
  const onChange = (model, names, show) => names.forEach((name) => model.on(`change:${name}`, () => whenUp(show)));
  return { whenUp, onChange };
}

// Copies a text to the clipboard. Returns true if that worked.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // without https, or where the browser forbids it
    const area = element("textarea", { readonly: "" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

const PARTS = /[\d.]+/g;

// The colour behind an element: the first on the way up that is not transparent.
function backgroundOf(node) {
  for (let one = node; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    const parts = colour.match(PARTS) ?? [];
    if (parts.length && parts[3] !== "0") return colour;
  }
  return "";
}

const NARROW = 480; // pixels

// Tells the kernel the colour of the page and whether it is narrow, on which its charts depend.
function watchLook(el, send, signal) {
  let sent;
  const report = () => {
    if (!el.isConnected || !el.clientWidth) return;
    const look = { background: backgroundOf(el), narrow: el.clientWidth < NARROW };
    if (JSON.stringify(look) === sent) return;
    sent = JSON.stringify(look);
    send(look);
  };
  const later = () => setTimeout(report, 300); // a theme's style sheet arrives after the attribute that names it
  const observer = new MutationObserver(later);
  for (const node of [document.documentElement, document.body]) {
    observer.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-jp-theme-name"] });
  }
  const sizes = new ResizeObserver(report);
  sizes.observe(el);
  signal.addEventListener("abort", () => [observer, sizes].forEach((one) => one.disconnect()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later, { signal });
  requestAnimationFrame(report);
}

const QUICK = 500; // milliseconds between two clicks that a person means as one
const NEAR = 6; // pixels between them

// Returns a function that is true for the second click of a double click that falls on another control than the first.
// Then the controls have moved under the pointer, and the click was not meant for this control.
function strayClicks() {
  let last = { timeStamp: -Infinity };
  return (event, control) => {
    const { clientX, clientY, timeStamp } = event;
    const isQuick = timeStamp - last.timeStamp < QUICK && Math.hypot(clientX - last.clientX, clientY - last.clientY) < NEAR;
    const isStray = event.detail > 0 && isQuick && control !== last.control;
    if (event.detail > 0) last = { clientX, clientY, timeStamp, control };
    return isStray;
  };
}

function listenToPage({ model, send, el, say, box, signal }) {
  const pickerOf = (node) => node.closest?.(".suburb-picker");
  const isOwn = (node) => Boolean(pickerOf(el)) && pickerOf(node) === pickerOf(el);
  // The whole label can be read: nothing of it is cut off.
  const isWhole = (node) => node.scrollWidth <= node.clientWidth + 1 && node.scrollHeight <= node.clientHeight + 1;

  function press(node, event) {
    event.stopImmediatePropagation();
    if (!isWhole(node)) return say("The price does not fit on the button, so nothing was sent. Make the page wider.");
    const [, name] = node.className.match(/suburb-offers-([a-z-]+)/);
    if (name === "look-up" && !box.isSearched()) {
      box.searchQuietly();
      return say("The text has changed. Nothing was sent; check the button, then press it again.");
    }
    return send({ press: name, offer: model.get("offers")[name], seen: node.textContent });
  }

  async function copyFrom(node) {
    const isCopied = await copy(node.previousElementSibling.textContent);
    node.focus();
    say(isCopied ? "The line was copied" : "The browser does not allow this button to copy: select the line and copy it");
    if (!isCopied) return;
    node.textContent = "Copied";
    setTimeout(() => { node.textContent = "Copy"; }, 2000);
  }

  const isStray = strayClicks();
  document.addEventListener("click", (event) => {
    const { target } = event; // a click on a label becomes a second one, on its input
    const node = target.closest?.("label") ?? target.closest?.("button, input, [role=option]");
    if (!node || !isOwn(node)) return;
    if (isStray(event, node) && !node.matches("[type=text]")) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (node.matches("[class*=suburb-offers-]")) press(node, event);
    else if (node.matches(".suburb-copy")) copyFrom(node);
  }, { capture: true, signal });
  // JupyterLab handles letters, arrows and Enter itself unless the focused element has this attribute.
  document.addEventListener("focusin", ({ target }) => {
    if (isOwn(target)) target.setAttribute("data-lm-suppress-shortcuts", "true");
  }, { signal });
  watchLook(el, send, signal);
}
