/** What opens over the page: menus, and the banner for things that failed. */

import { append, focusByKey, h } from "./dom.js";

const BANNER_MS = 15000;
let open = null;

/** Opens a menu at `anchor`; items are {label, detail?, run(anchor)}. A second click on the anchor closes it. */
export function openMenu(anchor, items) {
  const same = open && (open.anchor === anchor || (open.key && open.key === anchor.dataset.focus));
  closeMenu();
  if (same) return;
  const host = anchor.closest("dialog") ?? document.body;
  const node = h("div", { class: "menu", role: "menu", "data-testid": "menu", tabindex: "-1" });
  open = { anchor, key: anchor.dataset.focus, node };
  for (const item of items) node.append(menuItem(item, anchor));
  host.append(node);
  place(node, anchor);
  anchor.setAttribute("aria-expanded", "true");
  node.addEventListener("keydown", moveInMenu);
  node.querySelector("[role=menuitem]")?.focus();
  setTimeout(() => document.addEventListener("pointerdown", closeOutside), 0);
}

function menuItem(item, anchor) {
  const node = h("button", { type: "button", role: "menuitem", tabindex: "-1", class: "menu-item" }, h("span", {}, item.label), item.detail ? h("small", {}, item.detail) : null);
  node.addEventListener("click", () => {
    closeMenu(true);
    item.run(anchor.isConnected ? anchor : null);
  });
  return node;
}

/** Below the anchor if there is room, else above; always inside the window. */
function place(node, anchor) {
  const box = anchor.getBoundingClientRect();
  const below = box.bottom + 4 + node.offsetHeight <= innerHeight;
  const top = below ? box.bottom + 4 : Math.max(8, box.top - node.offsetHeight - 4);
  node.style.top = `${top}px`;
  node.style.left = `${Math.max(8, Math.min(box.left, innerWidth - node.offsetWidth - 8))}px`;
}

function moveInMenu(event) {
  const items = [...open.node.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    items[(to + items.length) % items.length].focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    event.stopPropagation();
    closeMenu(true);
  }
}

function closeOutside(event) {
  if (open && !open.node.contains(event.target) && !open.anchor.contains(event.target)) closeMenu();
}

function closeMenu(giveFocusBack = false) {
  if (!open) return;
  const { anchor, key, node } = open;
  open = null;
  node.remove();
  document.removeEventListener("pointerdown", closeOutside);
  anchor.setAttribute("aria-expanded", "false");
  if (!giveFocusBack) return;
  if (anchor.isConnected) anchor.focus();
  else if (key) focusByKey(document, key);
}

let bannerTimer = 0;

/** Says in one sentence what failed; inside an open dialog it stands there, because the rest of the page is out of reach. */
export function showBanner(sentence) {
  closeBanner();
  const host = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  const close = h("button", { type: "button", class: "banner-close", "aria-label": "Dismiss" }, "×");
  close.addEventListener("click", closeBanner);
  host.append(append(h("div", { class: "banner", role: "alert", "data-testid": "banner" }), [h("span", {}, sentence), close]));
  bannerTimer = setTimeout(closeBanner, BANNER_MS);
}

function closeBanner() {
  clearTimeout(bannerTimer);
  for (const banner of document.querySelectorAll(".banner")) banner.remove();
}
