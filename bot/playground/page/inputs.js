/** Slack's input elements as native form controls, and their state in the form of `view.state.values`. */

import { h } from "./dom.js";
import { textObject } from "./mrkdwn.js";
import { channels, ui } from "./state.js";

/**
 * Builds one element. Returns {node, read, check, onChange}: `read()` gives the state as Slack would, `check()` a sentence
 * about what is wrong or null, `onChange(listener)` calls with the payload of a block action.
 */
export function buildInput(element, options) {
  const build = Object.hasOwn(KINDS, element.type) ? KINDS[element.type] : unsupported;
  const part = build(element, options);
  const read = () => ({ type: element.type, ...part.read() });
  return {
    node: part.node,
    read,
    check: () => (options.required && part.empty() ? "Please complete this required field." : (part.check?.() ?? null)),
    onChange: (listener) => part.node.addEventListener("change", () => listener(part.read())),
  };
}

const KINDS = {
  plain_text_input: (element, options) => textField(element, options, element.multiline ? "textarea" : "input"),
  email_text_input: (element, options) => textField(element, options, "input", "email"),
  url_text_input: (element, options) => textField(element, options, "input", "url"),
  number_input: numberField,
  static_select: (element, options) => selectField(element, options, optionGroups(element), false),
  multi_static_select: (element, options) => selectField(element, options, optionGroups(element), true),
  users_select: (element, options) => idField(element, options, "selected_user", ui.state?.users ?? [], "@", element.initial_user),
  channels_select: (element, options) => idField(element, options, "selected_channel", channels(), "#", element.initial_channel),
  conversations_select: (element, options) => idField(element, options, "selected_conversation", channels(), "#", element.initial_conversation),
  radio_buttons: (element, options) => choices(element, options, "radio"),
  checkboxes: (element, options) => choices(element, options, "checkbox"),
  datepicker: (element, options) => plainField(element, options, "date", "selected_date", element.initial_date),
  timepicker: (element, options) => plainField(element, options, "time", "selected_time", element.initial_time),
  datetimepicker: dateTimeField,
};

const shared = (element, options) => ({
  id: options.id, class: "control", "data-focus": options.key, "data-action": element.action_id, "aria-describedby": options.described,
  "aria-required": options.required ? "true" : null, autofocus: Boolean(element.focus_on_load),
});

function unsupported(element) {
  const node = h("div", { class: "block unknown" }, `This page does not draw “${String(element.type)}” elements.`);
  return { node, read: () => ({}), empty: () => false };
}

function textField(element, options, tag, type = "text") {
  const node = h(tag, { ...shared(element, options), type: tag === "input" ? type : null, rows: tag === "textarea" ? 4 : null, placeholder: element.placeholder?.text, autocomplete: "off" });
  node.value = options.previous?.value ?? element.initial_value ?? "";
  const check = () => {
    if (element.min_length && node.value.length < element.min_length) return `Please write at least ${element.min_length} characters.`;
    if (element.max_length && node.value.length > element.max_length) return `Please write at most ${element.max_length} characters.`;
    return node.value && !node.checkValidity() ? `This is not a valid ${type} address.` : null;
  };
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

const optionGroups = (element) => element.option_groups ?? [{ options: element.options ?? [] }];
const flat = (object) => textObject(object).map((part) => (typeof part === "string" ? part : part.textContent || part.title)).join("");

function selectField(element, options, groups, multiple) {
  const all = groups.flatMap((group) => group.options);
  const node = h("select", { ...shared(element, options), multiple, size: multiple ? Math.min(all.length, 6) : null });
  if (!multiple) node.append(h("option", { value: "" }, element.placeholder?.text ?? "Choose an option"));
  for (const group of groups) {
    const parent = group.label ? node.appendChild(h("optgroup", { label: flat(group.label) })) : node;
    for (const option of group.options) parent.append(h("option", { value: String(all.indexOf(option)) }, flat(option.text)));
  }
  const before = multiple ? (options.previous?.selected_options ?? element.initial_options ?? []) : [options.previous?.selected_option ?? element.initial_option];
  const chosen = new Set(before.filter(Boolean).map((option) => option.value));
  for (const option of node.options) option.selected = option.value !== "" && chosen.has(all[Number(option.value)].value);
  if (!multiple && node.selectedIndex < 0) node.selectedIndex = 0;
  const picked = () => [...node.selectedOptions].filter((option) => option.value !== "").map((option) => all[Number(option.value)]);
  const read = () => (multiple ? { selected_options: picked() } : { selected_option: picked()[0] ?? null });
  return { node, read, empty: () => picked().length === 0 };
}

function idField(element, options, name, items, sign, initial) {
  const node = h("select", shared(element, options), h("option", { value: "" }, element.placeholder?.text ?? "Choose"), items.map((item) => h("option", { value: item.id }, `${sign}${item.name}`)));
  node.value = options.previous?.[name] ?? initial ?? "";
  return { node, read: () => ({ [name]: node.value || null }), empty: () => !node.value };
}

function choices(element, options, type) {
  const several = type === "checkbox";
  const all = element.options ?? [];
  const before = several ? (options.previous?.selected_options ?? element.initial_options ?? []) : [options.previous?.selected_option ?? element.initial_option];
  const chosen = new Set(before.filter(Boolean).map((option) => option.value));
  const boxes = all.map((option, index) => {
    const box = h("input", { type, name: options.id, id: index === 0 ? options.id : null, value: option.value, "data-focus": `${options.key}/${option.value}`, autofocus: index === 0 && Boolean(element.focus_on_load) });
    box.checked = chosen.has(option.value);
    return box;
  });
  const node = h("div", { class: "choices", "data-action": element.action_id, role: several ? "group" : "radiogroup" }, all.map((option, index) => h("label", { class: "choice" }, boxes[index],
    h("span", {}, textObject(option.text, options.names), option.description ? h("small", {}, textObject(option.description, options.names)) : null))));
  const picked = () => all.filter((_, index) => boxes[index].checked);
  const read = () => (several ? { selected_options: picked() } : { selected_option: picked()[0] ?? null });
  return { node, read, empty: () => picked().length === 0 };
}

function plainField(element, options, type, name, initial) {
  const node = h("input", { ...shared(element, options), type });
  node.value = options.previous?.[name] ?? initial ?? "";
  return { node, read: () => ({ [name]: node.value || null }), empty: () => !node.value };
}

/** Local date and time, read as epoch seconds. */
function dateTimeField(element, options) {
  const node = h("input", { ...shared(element, options), type: "datetime-local" });
  const epoch = options.previous?.selected_date_time ?? element.initial_date_time;
  if (epoch) node.value = localMinute(new Date(epoch * 1000));
  const read = () => ({ selected_date_time: node.value ? Math.floor(new Date(node.value).getTime() / 1000) : null });
  return { node, read, empty: () => !node.value };
}

function localMinute(time) {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60000);
  return shifted.toISOString().slice(0, 16);
}
