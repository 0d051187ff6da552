/** Modals: the newest open view of the person as a dialog, its input state, its errors, submit and close. */

import { digest, focusByKey, h, uniqueId } from "./dom.js";
import { renderBlocks, showFieldErrors } from "./blocks.js";
import { actor } from "./messages.js";
import { showBanner } from "./menu.js";
import { textObject } from "./mrkdwn.js";
import { names, post, refresh, ui } from "./state.js";

const closing = new Set();
const typed = new Map();
let current = null;

/** Makes the dialog follow the open views; what was typed survives updates and pushed views. */
export function renderModals(views) {
  const ids = new Set(views.map((entry) => entry.id));
  for (const id of closing) if (!ids.has(id)) closing.delete(id);
  for (const id of typed.keys()) if (!ids.has(id)) typed.delete(id);
  const top = views.filter((entry) => !closing.has(entry.id)).at(-1);
  if (current && current.id !== top?.id) takeDown(ids.has(current.id));
  if (!top) return;
  if (!current) putUp(top);
  const hash = digest(JSON.stringify(top.view) + ui.namesKey);
  if (hash !== current.hash) draw(top, hash);
  current.errors = top.errors ?? {};
  showErrors();
}

function putUp(entry) {
  const id = uniqueId("modal");
  const form = h("form", { novalidate: true, on: { submit } });
  const dialog = h("dialog", { class: "dialog modal", "data-testid": "modal", "aria-labelledby": `${id}-title` }, form);
  current = { id: entry.id, hash: null, dialog, form, titleId: `${id}-title`, fields: new Map(), errors: {} };
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener("close", () => {
    if (current?.dialog === dialog) close();
  });
  document.body.append(dialog);
}

function takeDown(keepTyped) {
  if (keepTyped) typed.set(current.id, readStates());
  const { dialog } = current;
  current = null;
  dialog.close();
  dialog.remove();
}

function readStates() {
  return new Map([...current.fields].map(([key, field]) => [key, field.read()]));
}

function draw(entry, hash) {
  const { view } = entry;
  const previous = current.hash === null ? (typed.get(entry.id) ?? new Map()) : readStates();
  const focused = current.dialog.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  current.fields = new Map();
  const body = h("div", { class: "modal-body", "data-testid": "modal-body" }, renderBlocks(view.blocks, {
    names, surface: "modal", fields: current.fields, previous, act: (payload, node) => actor({ channel: null, ts: null, view_id: entry.id, values: values(current.fields) })(payload, node),
  }));
  const submitButton = view.submit ? h("button", { type: "submit", class: "button primary", "data-focus": "modal-submit", "data-testid": "modal-submit" }, textObject(view.submit)) : null;
  const cancel = h("button", { type: "button", class: "button", "data-focus": "modal-cancel", "data-testid": "modal-close", on: { click: close } }, textObject(view.close ?? { text: view.submit ? "Cancel" : "Close" }));
  const cross = h("button", { type: "button", class: "cross", "aria-label": "Close", on: { click: close } }, "×");
  current.form.replaceChildren(
    h("header", {}, h("h2", { id: current.titleId }, textObject(view.title)), cross),
    body,
    h("footer", {}, h("span", { class: "app-name" }, ui.state.bot.name), cancel, submitButton ?? ""),
  );
  const first = current.hash === null;
  current.hash = hash;
  if (first) {
    current.dialog.showModal();
    const start = body.querySelector("[autofocus]") ?? body.querySelector("input, textarea, select, button") ?? submitButton ?? cancel;
    start.focus();
  } else if (focused) {
    focusByKey(current.dialog, focused);
  }
}

function showErrors() {
  const found = showFieldErrors(current.form, current.errors);
  const sentence = found.unplaced.join(" ");
  if (sentence && current.unplaced !== sentence) showBanner(sentence);
  current.unplaced = sentence;
  return found.first;
}

function setPending(dialog, pending) {
  dialog.classList.toggle("pending", pending);
  dialog.setAttribute("aria-busy", String(pending));
  const button = dialog.querySelector("[data-testid=modal-submit]");
  if (!button) return;
  button.setAttribute("aria-disabled", String(pending));
}

async function submit(event) {
  event.preventDefault();
  const entry = current;
  if (entry.dialog.getAttribute("aria-busy") === "true") return;
  setPending(entry.dialog, true);
  const result = await post("/ui/submit", { view_id: entry.id, values: values(entry.fields) });
  if (!result.ok && current === entry) showBanner(result.error);
  if (result.ok) await refresh();
  setPending(entry.dialog, false);
  if (current === entry) showErrors()?.focus();
}

/** The input state in the form of `view.state.values`. */
function values(fields) {
  const result = {};
  for (const field of fields.values()) {
    result[field.blockId] = { ...result[field.blockId], [field.actionId]: field.read() };
  }
  return result;
}

async function close() {
  const { id } = current;
  closing.add(id);
  takeDown(false);
  const result = await post("/ui/close", { view_id: id });
  if (!result.ok) {
    closing.delete(id);
    showBanner(result.error);
  }
  refresh();
}
