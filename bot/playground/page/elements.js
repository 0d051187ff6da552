/** Interactive elements: what a click on them asks, confirms and sends. */

import { append, h, icon, link, safeUrl, uniqueId } from "./dom.js";
import { buildInput } from "./inputs.js";
import { askConfirm, openMenu } from "./menu.js";
import { textObject } from "./mrkdwn.js";

const DOTS = "M4 10h.01M10 10h.01M16 10h.01";
const CHEVRON = "M5 8l5 5 5-5";

/** The node of one element in an actions block or an accessory. */
export function interactive(element, blockId, ctx) {
  const key = `${blockId}/${element.action_id}`;
  switch (element.type) {
    case "button":
      return button(element, blockId, key, ctx);
    case "overflow":
      return overflow(element, blockId, key, ctx);
    case "static_select":
      return ctx.surface === "modal" ? control(element, blockId, key, ctx) : select(element, blockId, key, ctx);
    default:
      return control(element, blockId, key, ctx);
  }
}

/** Asks the element's `confirm` question first; nothing is sent before it is answered with yes. */
async function send(element, blockId, payload, node, ctx) {
  if (element.confirm && !(await askConfirm(element.confirm, ctx.names, node))) return false;
  return ctx.act({ block_id: blockId, action_id: element.action_id, ...payload }, node);
}

function button(element, blockId, key, ctx) {
  const style = { primary: " primary", danger: " danger" }[element.style] ?? "";
  const props = { class: `button${style}`, "data-focus": key, "data-testid": `action-${element.action_id}`, "aria-label": element.accessibility_label };
  const payload = element.value === undefined ? {} : { value: element.value };
  const click = () => send(element, blockId, payload, node, ctx);
  const label = textObject(element.text);
  const node = element.url ? link(element.url, label, { ...props, on: { click } }) : h("button", { type: "button", ...props, on: { click } }, label);
  return node;
}

/** The thumbs of a context_actions block; the answer travels in `value`, and only the reader sees the choice. */
export function feedback(element, blockId, ctx) {
  if (element.type !== "feedback_buttons") return h("span", { class: "unknown" }, String(element.type));
  return ["positive_button", "negative_button"].map((name) => {
    const choice = element[name] ?? {};
    const label = [h("span", { "aria-hidden": "true" }, name === "positive_button" ? "👍 " : "👎 "), textObject(choice.text)];
    const click = async () => {
      await send(element, blockId, { value: choice.value }, node, ctx);
    };
    const node = h("button", { type: "button", class: "button small", "data-focus": `${blockId}/${element.action_id}/${name}`, "data-testid": `action-${element.action_id}-${name}`, "aria-label": choice.accessibility_label, on: { click } }, label);
    return node;
  });
}

function overflow(element, blockId, key, ctx) {
  const node = h("button", {
    type: "button", class: "button square", "data-focus": key, "data-testid": `action-${element.action_id}`, "aria-haspopup": "menu",
    "aria-expanded": "false", "aria-label": element.accessibility_label ?? "More options", title: "More options",
  }, icon(DOTS));
  node.addEventListener("click", () => openMenu(node, (element.options ?? []).map((option) => ({
    label: textObject(option.text),
    detail: option.description ? textObject(option.description) : null,
    run: (anchor) => {
      if (safeUrl(option.url)) window.open(safeUrl(option.url), "_blank", "noopener");
      return send(element, blockId, { selected_option: option }, anchor, ctx);
    },
  }))));
  return node;
}

/** A select in a message or App Home: a menu, so that it stays open while the message under it changes. */
function select(element, blockId, key, ctx) {
  const shown = element.initial_option ? textObject(element.initial_option.text) : textObject(element.placeholder ?? { type: "plain_text", text: "Choose an option" });
  const label = h("span", { class: element.initial_option ? "" : "placeholder" }, shown);
  const node = h("button", {
    type: "button", class: "button select", "data-focus": key, "data-testid": `action-${element.action_id}`, "aria-haspopup": "menu",
    "aria-expanded": "false", "aria-label": element.accessibility_label,
  }, label, icon(CHEVRON));
  node.addEventListener("click", () => openMenu(node, (element.options ?? []).map((option) => ({
    label: textObject(option.text),
    detail: option.description ? textObject(option.description) : null,
    run: async (anchor) => {
      if (await send(element, blockId, { selected_option: option }, anchor, ctx)) label.replaceChildren(...append(h("span"), textObject(option.text)).childNodes);
    },
  }))));
  return node;
}

/** Any other stateful element outside an input block; a change is sent at once. */
function control(element, blockId, key, ctx) {
  const id = uniqueId("element");
  const built = buildInput(element, { id, described: null, key, names: ctx.names, previous: ctx.previous?.get(key), required: false });
  built.node.dataset.testid ??= `action-${element.action_id}`;
  const label = element.accessibility_label ?? element.placeholder?.text ?? String(element.action_id ?? element.type).replaceAll("_", " ");
  for (const part of built.node.matches("input, select, textarea") ? [built.node] : []) part.setAttribute("aria-label", label);
  built.onChange((payload) => send(element, blockId, payload, built.node, ctx));
  ctx.fields?.set(key, { blockId, actionId: element.action_id, required: false, ...built });
  return built.node;
}
