/** Builds and reconciles DOM nodes; text always becomes text nodes, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/** One element: `props` are attributes, `on` holds listeners, strings among `children` become text. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, String(value));
    }
  }
  append(node, children);
  return node;
}

/** Appends strings, nodes and nested lists of them; empty values are skipped. */
export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") node.append(child);
  }
  return node;
}

/** A small line drawing from SVG path data, hidden from screen readers. */
export function icon(...paths) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", paths.every((data) => data.includes(".01")) ? "icon dots" : "icon");
  svg.setAttribute("aria-hidden", "true");
  for (const data of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", data);
    svg.append(path);
  }
  return svg;
}

/** The address when it is one that a person may safely follow, else null. */
function safeUrl(address) {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A link that opens elsewhere; an unsafe address leaves only its label. */
export function link(address, label, props = {}) {
  const href = safeUrl(address);
  if (!href) return h("span", { class: "unsafe-link", title: "This link is not http, https or mailto" }, label);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer", ...props }, label);
}

/**
 * Makes the children of `container` follow `items` ({key, hash, build}); a child whose hash is the same stays untouched,
 * so scroll positions, focus and half-typed text in it survive.
 */
export function reconcile(container, items) {
  const old = new Map([...container.children].map((node) => [node.dataset.key, node]));
  let cursor = container.firstElementChild;
  for (const item of items) {
    const previous = old.get(item.key);
    old.delete(item.key);
    if (previous && previous.dataset.hash === item.hash) {
      if (previous === cursor) cursor = cursor.nextElementSibling;
      else container.insertBefore(previous, cursor);
      continue;
    }
    const node = item.build(previous);
    node.dataset.key = item.key;
    node.dataset.hash = item.hash;
    if (!previous) {
      container.insertBefore(node, cursor);
      continue;
    }
    if (previous === cursor) cursor = cursor.nextElementSibling;
    swap(previous, node);
  }
  for (const gone of old.values()) gone.remove();
}

/** Replaces a node by its newer form and carries focus and sideways scrolling over. */
function swap(previous, node) {
  const focus = previous.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  const scrolled = [...previous.querySelectorAll(".scroll-x")].map((part) => part.scrollLeft);
  previous.replaceWith(node);
  node.querySelectorAll(".scroll-x").forEach((part, index) => {
    part.scrollLeft = scrolled[index] ?? 0;
  });
  if (focus) focusByKey(node, focus);
}

/** Focuses the element inside `root` that carries this stable focus key, if it is (still) there. */
export function focusByKey(root, key) {
  const target = root.querySelector(`[data-focus="${CSS.escape(key)}"]`);
  if (target) target.focus({ preventScroll: true });
  return Boolean(target);
}

let lastId = 0;

/** An id that is unique in this page, for labels and descriptions. */
export function uniqueId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** A short fingerprint of a text (53 bits), to see whether something changed. */
export function digest(text) {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
