/** Interactive elements: what a click on them sends. */

import { h, icon } from "./dom.js";
import { openMenu } from "./menu.js";
import { textObject } from "./mrkdwn.js";

const DOTS = "M4 10h.01M10 10h.01M16 10h.01";

const send = (element, blockId, payload, node, ctx) => ctx.act({ block_id: blockId, action_id: element.action_id, ...payload }, node);

/** The node of a button or an overflow menu, in an actions block or as an accessory. */
export function interactive(element, blockId, ctx) {
  const build = element.type === "overflow" ? overflow : button;
  return build(element, blockId, `${blockId}/${element.action_id}`, ctx);
}

function button(element, blockId, key, ctx) {
  const node = h("button", {
    type: "button", class: `button${element.style === "primary" ? " primary" : ""}`, "data-focus": key, "data-testid": `action-${element.action_id}`,
    "aria-label": element.accessibility_label, on: { click: () => send(element, blockId, { value: element.value }, node, ctx) },
  }, textObject(element.text));
  return node;
}

/** The thumbs of a context_actions block; the answer travels in `value`, and only the reader sees the choice. */
export function feedback(element, blockId, ctx) {
  return ["positive_button", "negative_button"].map((name) => {
    const choice = element[name];
    const node = h("button", {
      type: "button", class: "button small", "data-focus": `${blockId}/${element.action_id}/${name}`, "data-testid": `action-${element.action_id}-${name}`,
      "aria-label": choice.accessibility_label, on: { click: () => send(element, blockId, { value: choice.value }, node, ctx) },
    }, textObject(choice.text));
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
