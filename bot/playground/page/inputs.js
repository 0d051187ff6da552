/** Slack's input elements as native form controls, and their state in the form of `view.state.values`. */

import { h } from "./dom.js";
import { textObject } from "./mrkdwn.js";

/** Builds one element. Returns {node, read, check}: `read()` gives the state as Slack would, `check()` what is wrong or null. */
export function buildInput(element, options) {
  const build = Object.hasOwn(KINDS, element.type) ? KINDS[element.type] : unsupported;
  const part = build(element, options);
  const read = () => ({ type: element.type, ...part.read() });
  return {
    node: part.node,
    read,
    check: () => (options.required && part.empty() ? "Please complete this required field." : (part.check?.() ?? null)),
  };
}

const KINDS = {
  plain_text_input: textField,
  number_input: numberField,
  static_select: selectField,
  radio_buttons: radioField,
};

const shared = (element, options) => ({
  id: options.id, class: "control", "data-focus": options.key, "data-action": element.action_id, "aria-describedby": options.described,
  "aria-required": options.required ? "true" : null,
});

function unsupported(element) {
  const node = h("div", { class: "block unknown" }, `This page does not draw “${String(element.type)}” elements.`);
  return { node, read: () => ({}), empty: () => false };
}

function textField(element, options) {
  const node = h("input", { ...shared(element, options), type: "text", placeholder: element.placeholder?.text, autocomplete: "off" });
  node.value = options.previous?.value ?? element.initial_value ?? "";
  const check = () => (element.max_length && node.value.length > element.max_length ? `Please write at most ${element.max_length} characters.` : null);
  return { node, check, read: () => ({ value: node.value || null }), empty: () => !node.value.trim() };
}

function numberField(element, options) {
  const node = h("input", { ...shared(element, options), type: "text", inputmode: element.is_decimal_allowed ? "decimal" : "numeric", placeholder: element.placeholder?.text, autocomplete: "off" });
  node.value = options.previous?.value ?? element.initial_value ?? "";
  const check = () => {
    const text = node.value.trim();
    if (!text) return null;
    if (!(element.is_decimal_allowed ? /^[+-]?\d*\.?\d+$/ : /^[+-]?\d+$/).test(text)) return element.is_decimal_allowed ? "Please write a number." : "Please write a whole number.";
    if (element.min_value !== undefined && Number(text) < Number(element.min_value)) return `The smallest possible number is ${element.min_value}.`;
    if (element.max_value !== undefined && Number(text) > Number(element.max_value)) return `The largest possible number is ${element.max_value}.`;
    return null;
  };
  return { node, check, read: () => ({ value: node.value.trim() || null }), empty: () => !node.value.trim() };
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
  return { node, read: () => ({ selected_option: chosen() }), empty: () => chosen() === null };
}

function selectField(element, options) {
  const all = element.options ?? [];
  const node = h("select", shared(element, options), h("option", { value: "" }, element.placeholder?.text ?? "Choose an option"),
    all.map((option, index) => h("option", { value: String(index) }, flat(option.text))));
  const before = options.previous?.selected_option ?? element.initial_option;
  const at = all.findIndex((option) => option.value === before?.value);
  node.value = at < 0 ? "" : String(at);
  const read = () => ({ selected_option: all[node.value === "" ? -1 : Number(node.value)] ?? null });
  return { node, read, empty: () => node.value === "" };
}
