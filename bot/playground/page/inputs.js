/** Slack's input elements as native form controls, and their state in the form of `view.state.values`. */

import { h } from "./dom.js";
import { textObject } from "./mrkdwn.js";

/** Builds one element. Returns {node, read}: `read()` gives the state as Slack would. */
export function buildInput(element, options) {
  const part = KINDS[element.type](element, options);
  return { node: part.node, read: () => ({ type: element.type, ...part.read() }) };
}

const KINDS = {
  plain_text_input: textField,
  number_input: textField,
  static_select: selectField,
  radio_buttons: radioField,
};

const shared = (element, options) => ({
  id: options.id, class: "control", "data-focus": options.key, "data-action": element.action_id, "aria-describedby": options.described,
  "aria-required": options.required ? "true" : null,
});

function textField(element, options) {
  const inputmode = element.type === "number_input" ? "numeric" : null;
  const node = h("input", { ...shared(element, options), type: "text", inputmode, placeholder: element.placeholder?.text, autocomplete: "off" });
  node.value = options.previous?.value ?? "";
  return { node, read: () => ({ value: node.value.trim() || null }) };
}

const flat = (object) => textObject(object).map((part) => (typeof part === "string" ? part : part.textContent || part.title)).join("");

/** Radio buttons: a group with a label of its own, each option with its description below. */
function radioField(element, options) {
  const all = element.options ?? [];
  const before = (options.previous?.selected_option ?? element.initial_option)?.value;
  const inputs = all.map((option, index) => {
    const input = h("input", { type: "radio", name: options.id, id: `${options.id}-${index}`, "data-focus": `${options.key}/${index}`, "aria-describedby": `${options.id}-${index}-d` });
    input.checked = option.value === before;
    return input;
  });
  const node = h("div", { class: "radios", role: "radiogroup", id: options.id, "aria-labelledby": `${options.id}-label`, "data-action": element.action_id, "aria-describedby": options.described, "aria-required": options.required ? "true" : null },
    all.map((option, index) => h("label", { class: "radio", for: inputs[index].id }, inputs[index],
      h("span", {}, h("span", { class: "radio-text" }, flat(option.text)),
        h("span", { class: "hint", id: `${inputs[index].id}-d` }, option.description ? flat(option.description) : "")))));
  const chosen = () => all[inputs.findIndex((input) => input.checked)] ?? null;
  return { node, read: () => ({ selected_option: chosen() }) };
}

function selectField(element, options) {
  const all = element.options ?? [];
  const node = h("select", shared(element, options), h("option", { value: "" }, "Choose an option"),
    all.map((option, index) => h("option", { value: String(index) }, flat(option.text))));
  const before = options.previous?.selected_option ?? element.initial_option;
  const at = all.findIndex((option) => option.value === before?.value);
  node.value = at < 0 ? "" : String(at);
  const read = () => ({ selected_option: all[node.value === "" ? -1 : Number(node.value)] ?? null });
  return { node, read };
}
