/** Block Kit blocks as DOM nodes, for messages, modals and App Home. */

import { chart } from "./chart.js";
import { h, uniqueId } from "./dom.js";
import { feedback, interactive } from "./elements.js";
import { buildInput } from "./inputs.js";
import { plain, textObject } from "./mrkdwn.js";
import { table } from "./richtext.js";

const KINDS = {
  header: (block) => h("h3", { class: "block header" }, textObject(block.text)),
  section,
  actions: (block, ctx) => h("div", { class: "block actions" }, (block.elements ?? []).map((element) => interactive(element, block.block_id, ctx))),
  context: (block, ctx) => h("div", { class: "block context" }, (block.elements ?? []).map((element) => h("div", { class: "mrkdwn" }, textObject(element, ctx.names)))),
  divider: () => h("hr", { class: "block divider" }),
  table: (block) => h("div", { class: "block" }, table(block)),
  data_visualization: chart,
  container,
  plan: (block) => steps(String(block.title ?? ""), block.tasks ?? []),
  context_actions: (block, ctx) => h("div", { class: "block actions" }, (block.elements ?? []).map((element) => feedback(element, block.block_id, ctx))),
  input,
};

/**
 * All blocks of a surface. `ctx` carries `names`, `act(payload, node)`, `surface` ("message", "modal", "home") and in modals
 * `fields`, a Map that collects what can be read at submit, and `previous`, what was typed before a redraw.
 */
export function renderBlocks(blocks, ctx) {
  return (blocks ?? []).map((block) => {
    const build = Object.hasOwn(KINDS, block?.type) ? KINDS[block.type] : unknown;
    return build(block, ctx);
  });
}

function unknown(block) {
  return h("div", { class: "block unknown" }, `This page does not draw “${String(block?.type)}” blocks; “Raw” shows the content.`);
}

function section(block, ctx) {
  const main = h("div", { class: "section-main mrkdwn" }, textObject(block.text, ctx.names));
  if (!block.accessory) return h("div", { class: "block section" }, main);
  return h("div", { class: "block section with-accessory" }, main, h("div", { class: "accessory" }, interactive(block.accessory, block.block_id, ctx)));
}

const opened = new Set();

/** A titled box; a collapsible one opens by click and stays as the reader left it when the message is edited. */
function container(block, ctx) {
  const inner = renderBlocks(block.child_blocks, ctx);
  const title = textObject(block.title);
  if (!block.is_collapsible) return h("div", { class: "block container" }, h("div", { class: "container-title" }, title), inner);
  const key = String(block.block_id ?? "");
  const node = h("details", { class: "block container", open: opened.has(key) || !block.default_collapsed }, h("summary", { class: "container-title", "data-focus": `${key}/summary` }, title), inner);
  node.addEventListener("toggle", () => (node.open ? opened.add(key) : opened.delete(key)));
  return node;
}

const SIGNS = { pending: "○", in_progress: "◐", complete: "✓", error: "✗" };

/** A plan: its title says the state, its steps each have a sign and a word for screen readers. */
function steps(title, tasks) {
  const step = (task) => h("li", { class: `step ${task.status ?? "pending"}` },
    h("span", { class: "sign", role: "img", "aria-label": String(task.status ?? "pending").replace("_", " ") }, SIGNS[task.status] ?? SIGNS.pending), String(task.title ?? ""));
  return h("div", { class: "block plan" }, title ? h("div", { class: "container-title" }, title) : null, h("ul", {}, tasks.map(step)));
}

/** An input block: label, control, hint, and a place for its error. */
function input(block, ctx) {
  const element = block.element ?? {};
  const id = uniqueId("field");
  const described = `${id}-hint ${id}-error`;
  const key = `${block.block_id}/${element.action_id}`;
  const built = buildInput(element, { id, described, key, names: ctx.names, previous: ctx.previous?.get(key), required: !block.optional });
  const caption = [...plain(String(block.label?.text ?? "")), block.optional ? h("span", { class: "optional" }, " (optional)") : null];
  ctx.fields?.set(key, { blockId: block.block_id, actionId: element.action_id, read: built.read });
  return h("div", { class: "block input", "data-block": block.block_id, "data-testid": `input-${block.block_id}` },
    h("label", { class: "label", id: `${id}-label`, for: id }, caption),
    built.node,
    h("div", { class: "hint", id: `${id}-hint` }, block.hint ? textObject(block.hint) : null),
    h("div", { class: "field-error", id: `${id}-error`, role: "alert", hidden: true }));
}

/** Writes the errors ({block_id: text}) below their fields and clears the others; says which had no field. */
export function showFieldErrors(root, errors) {
  const left = new Set(Object.keys(errors));
  let first = null;
  for (const field of root.querySelectorAll("[data-block]")) {
    const text = errors[field.dataset.block];
    left.delete(field.dataset.block);
    const place = field.querySelector(".field-error");
    place.hidden = !text;
    if (place.textContent !== (text ?? "")) place.textContent = text ?? "";
    field.classList.toggle("invalid", Boolean(text));
    const control = field.querySelector("input, textarea, select");
    if (text) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
    if (text && !first) first = control;
  }
  return { first, unplaced: [...left].map((key) => `${key}: ${errors[key]}`) };
}
