// Builds elements. All text goes through textContent: nothing that the API returns is ever parsed as HTML.

/** Returns an element. Properties are attributes, "class" included; null and false ones are left out. */
export function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Makes the children of `parent` like `next`, and touches only what differs: the focus, open details, the scroll
 * position and charts stay. An element with data-keep belongs to somebody else, and is left as it is.
 */
export function update(parent, next) {
  const present = parent.childNodes;
  next.forEach((wanted, index) => {
    const old = present[index];
    const node = typeof wanted === "string" ? document.createTextNode(wanted) : wanted;
    if (!old) parent.append(node);
    else if (!alike(old, node)) old.replaceWith(node);
    else if (old.nodeType === Node.TEXT_NODE) {
      if (old.data !== node.data) old.data = node.data;
    } else if (!old.hasAttribute("data-keep")) {
      copyAttributes(old, node);
      update(old, [...node.childNodes]);
    }
  });
  while (present.length > next.length) parent.lastChild.remove();
}

function alike(old, node) {
  return old.nodeName === node.nodeName
    && (old.nodeType !== Node.ELEMENT_NODE || old.getAttribute("data-keep") === node.getAttribute("data-keep"));
}

function copyAttributes(old, node) {
  for (const { name } of [...old.attributes]) {
    // What the reader has opened stays open.
    if (!node.hasAttribute(name) && !(name === "open" && old.nodeName === "DETAILS")) old.removeAttribute(name);
  }
  for (const { name, value } of node.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/** Returns a table. Columns are [heading, cell of a row, "number" or nothing]; a cell is text or an element. */
export function table(caption, columns, rows, empty) {
  if (!rows || !rows.length) return el("p", { class: "empty" }, el("strong", {}, caption + ": "), empty || "nothing yet");
  const heads = columns.map(([heading, , kind]) => el("th", { scope: "col", class: kind || null }, heading));
  const body = rows.map(row => el("tr", {}, columns.map(([heading, cell, kind], index) =>
    el(index ? "td" : "th", { scope: index ? null : "row", class: kind || null, "data-label": heading }, cell(row)))));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), el("tbody", {}, body)));
}

const creators = new Map();

/** Returns a place for an element that lives on between updates, such as a chart. `create` is called when it is shown. */
export function keep(key, create) {
  creators.set(key, create);
  return el("div", { "data-keep": key });
}

/** Fills the places that are new, and tells the elements in all of them that there are new figures. */
export function mount(root) {
  for (const place of root.querySelectorAll("[data-keep]")) {
    if (!place.firstChild) place.append(creators.get(place.getAttribute("data-keep"))());
    place.firstChild.refresh?.();
  }
}

/** Returns the raw JSON of a view behind a disclosure; written only while it is open. */
export function raw(path, value) {
  return keep("raw " + path, () => {
    const pre = el("pre", { tabindex: "0" });
    const details = el("details", { class: "raw" }, el("summary", {}, "Details: the JSON of " + path), el("a", { href: path.slice(1) }, path), pre);
    details.refresh = () => {
      if (details.open) pre.textContent = JSON.stringify(value(), null, 2) || "nothing";
    };
    details.addEventListener("toggle", details.refresh);
    return details;
  });
}
