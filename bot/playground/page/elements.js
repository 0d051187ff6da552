/** Interactive elements: what a click on them asks, confirms and sends. */

import { h, icon, link } from "./dom.js";
import { askConfirm, openMenu } from "./menu.js";
import { textObject } from "./mrkdwn.js";

const DOTS = "M4 10h.01M10 10h.01M16 10h.01";

/** The node of one element in an actions block or an accessory. */
export function interactive(element, blockId, ctx) {
  const key = `${blockId}/${element.action_id}`;
  switch (element.type) {
    case "button":
      return button(element, blockId, key, ctx);
    case "overflow":
      return overflow(element, blockId, key, ctx);
    default:
      return h("span", { class: "unknown" }, String(element.type));
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
    run: (anchor) => send(element, blockId, { selected_option: option }, anchor, ctx),
  }))));
  return node;
}

