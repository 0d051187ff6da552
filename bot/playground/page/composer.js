/** The two composers: drafts, mentions, slash commands, and what can be completed while typing. */

import { h, uniqueId } from "./dom.js";
import { showBanner } from "./menu.js";
import { currentChannel, post, refresh, ui } from "./state.js";

/** Fills `form` with a composer. `inThread()` gives the thread's ts or null; `key()` names the draft. */
export function makeComposer(form, { testid, label, inThread, key }) {
  const id = uniqueId("composer");
  const box = h("textarea", { id, rows: "1", "data-testid": testid, autocomplete: "off", spellcheck: "true", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-describedby": `${id}-note` });
  const caption = h("label", { class: "visually-hidden", for: id });
  const list = h("div", { class: "suggestions", id: `${id}-list`, role: "listbox", "aria-label": "Suggestions", hidden: true });
  const note = h("p", { class: "composer-note", id: `${id}-note`, role: "status" });
  const send = h("button", { type: "submit", class: "send", "aria-label": "Send", title: "Send (Enter)" }, "Send");
  form.append(list, caption, h("div", { class: "composer-box" }, box, send), note);
  const composer = { form, box, list, note, send, inThread, key, drafts: new Map(), shownKey: null, options: [], active: 0 };
  box.addEventListener("input", () => typed(composer));
  box.addEventListener("keydown", (event) => keyPressed(composer, event));
  box.addEventListener("blur", () => suggest(composer, []));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(composer);
  });
  return () => show(composer, caption, label());
}

/** Brings the draft of the current place into view; leaves the text alone while the place is the same. */
function show(composer, caption, label) {
  const { box } = composer;
  const archived = Boolean(currentChannel()?.is_archived);
  caption.textContent = label;
  box.placeholder = archived ? "This channel is archived." : label;
  box.disabled = archived;
  composer.send.disabled = archived;
  if (composer.shownKey === composer.key()) return;
  composer.shownKey = composer.key();
  box.value = composer.drafts.get(composer.shownKey) ?? "";
  say(composer, "");
  fit(box);
}

function fit(box) {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight, 180)}px`;
}

function say(composer, sentence, failed = false) {
  composer.note.classList.toggle("failed", failed);
  if (composer.note.textContent !== sentence) composer.note.textContent = sentence;
}

const threadRefusal = (command) => `Custom slash commands such as ${command} cannot be typed in a thread. Try @${ui.state.bot.name.toLowerCase()} status here, or ${command} in the channel.`;

function typed(composer) {
  const { box } = composer;
  composer.drafts.set(composer.key(), box.value);
  fit(box);
  suggest(composer, findOptions(composer));
  const command = /^(\/\S+)/.exec(box.value)?.[1];
  const known = ui.state?.commands?.find((entry) => entry.command === command);
  if (known && composer.inThread()) say(composer, threadRefusal(command), true);
  else say(composer, known ? `${known.command} ${known.usage_hint ?? ""}`.trim() : "");
}

function findOptions(composer) {
  const before = composer.box.value.slice(0, composer.box.selectionStart);
  if (/^\/\S*$/.test(before)) {
    if (composer.inThread()) return [];
    return (ui.state?.commands ?? []).filter((entry) => entry.command.startsWith(before)).map((entry) => ({ text: entry.command, detail: entry.description ?? "", from: 0 }));
  }
  const at = /(?:^|\s)@([\w.-]*)$/.exec(before);
  if (!at || !ui.state) return [];
  const people = [{ name: ui.state.bot.name.toLowerCase(), detail: "app" }, ...ui.state.users.map((user) => ({ name: user.name, detail: user.real_name }))];
  const start = before.length - at[1].length - 1;
  return people.filter((entry) => entry.name.startsWith(at[1].toLowerCase())).map((entry) => ({ text: `@${entry.name}`, detail: entry.detail, from: start }));
}

function suggest(composer, options) {
  const { box, list } = composer;
  composer.options = options;
  composer.active = 0;
  list.hidden = options.length === 0;
  box.setAttribute("aria-expanded", String(options.length > 0));
  list.replaceChildren(...options.map((option, index) => {
    const node = h("div", { role: "option", id: `${list.id}-${index}` }, h("strong", {}, option.text), h("span", {}, option.detail ?? ""));
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      complete(composer, option);
    });
    return node;
  }));
  mark(composer);
}

function mark(composer) {
  [...composer.list.children].forEach((node, index) => node.setAttribute("aria-selected", String(index === composer.active)));
  if (composer.options.length > 0) composer.box.setAttribute("aria-activedescendant", `${composer.list.id}-${composer.active}`);
  else composer.box.removeAttribute("aria-activedescendant");
}

function complete(composer, option) {
  const { box } = composer;
  const after = box.value.slice(box.selectionStart);
  const head = `${box.value.slice(0, option.from)}${option.text} `;
  box.value = head + after.trimStart();
  box.setSelectionRange(head.length, head.length);
  typed(composer);
}

function keyPressed(composer, event) {
  const { options, box } = composer;
  if (event.isComposing) return;
  if (options.length > 0 && ["ArrowDown", "ArrowUp"].includes(event.key)) {
    event.preventDefault();
    composer.active = (composer.active + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length;
    mark(composer);
  } else if (options.length > 0 && event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    suggest(composer, []);
  } else if (options.length > 0 && ["Tab", "Enter"].includes(event.key) && !box.value.endsWith(options[composer.active].text)) {
    event.preventDefault();
    complete(composer, options[composer.active]);
  } else if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    submit(composer);
  }
}

async function submit(composer) {
  const { box } = composer;
  const text = box.value.trim();
  if (!text || box.readOnly || !ui.state) return;
  const thread = composer.inThread();
  const command = /^(\/\S+)\s*([\s\S]*)$/.exec(text);
  if (command && thread) return say(composer, threadRefusal(command[1]), true);
  if (command && !ui.state.commands.some((entry) => entry.command === command[1])) {
    const known = ui.state.commands.map((entry) => entry.command).join(", ");
    return say(composer, `${command[1]} is not a command of this workspace. Known: ${known}.`, true);
  }
  suggest(composer, []);
  box.readOnly = true;
  const place = composer.key();
  const channel = ui.channel;
  const result = command
    ? await post("/ui/slash", { channel, command: command[1], text: command[2] })
    : await post("/ui/say", { channel, text, ...(thread ? { thread_ts: thread } : {}) });
  box.readOnly = false;
  if (!result.ok) return showBanner(result.error);
  composer.drafts.delete(place);
  if (composer.key() === place) {
    box.value = "";
    say(composer, "");
    fit(box);
  }
  return refresh();
}
