/** Messages of a channel or a thread: order, grouping, toggles, and what can be done with each. */

import { digest, h, icon, reconcile } from "./dom.js";
import { renderBlocks } from "./blocks.js";
import { openMenu, showBanner } from "./menu.js";
import { clock, mrkdwn, nearDay, plain } from "./mrkdwn.js";
import { followNews } from "./follow.js";
import { changed, currentChannel, names, navigate, person, post, ui } from "./state.js";

const GROUP_SECONDS = 300;
const PAGE = 150;
const pages = new Map();
const REPLY = ["M8 5L3 10l5 5", "M3 10h8c4 0 6 2 6 6"];
const shownText = new Set();
const shownRaw = new Set();
const dismissed = new Set();

const atTime = (ts) => new Date(Number(ts) * 1000);
const isReply = (message) => Boolean(message.thread_ts && message.thread_ts !== message.ts);
const inOrder = (messages) => [...messages].sort((left, right) => Number(left.ts) - Number(right.ts));
const keyOf = (message) => `${message.ephemeral ? "only-you-" : ""}${message.channel ?? ui.channel}-${message.ts}`;
const ephemerals = () => (ui.state.ephemerals ?? []).filter((message) => message.channel === ui.channel && !dismissed.has(keyOf(message)));

/** The newest root messages, broadcasts and ephemerals of the current channel, and how many older ones are left out. */
export function channelMessages() {
  const roots = currentChannel().messages.filter((message) => !isReply(message) || message.broadcast);
  const all = inOrder([...roots, ...ephemerals().filter((message) => !message.thread_ts)]);
  const shown = pages.get(ui.channel) ?? PAGE;
  return { messages: all.slice(-shown), older: Math.max(0, all.length - shown) };
}

/** Takes one more page of older messages into the current channel. */
export function showOlder() {
  pages.set(ui.channel, (pages.get(ui.channel) ?? PAGE) + PAGE);
  changed();
}

/** The root and the replies of the open thread. */
export function threadMessages() {
  const all = currentChannel().messages.filter((message) => message.ts === ui.thread || message.thread_ts === ui.thread);
  return inOrder([...all, ...ephemerals().filter((message) => message.thread_ts === ui.thread)]);
}

/** Draws `messages` into `list`, keeps what did not change, and follows the news. */
export function renderMessages(list, scroller, messages, place) {
  const fresh = list.dataset.place !== place.key;
  if (fresh) list.replaceChildren();
  list.dataset.place = place.key;
  reconcile(list, listItems(messages, { ...place, fresh }));
  followNews(scroller, messages, fresh);
}

function listItems(messages, place) {
  const items = [];
  let before = null;
  for (const message of messages) {
    const day = atTime(message.ts).toDateString();
    if (!place.thread && (!before || day !== atTime(before.ts).toDateString())) {
      items.push({ key: `day-${day}`, hash: digest(dayName(atTime(message.ts))), build: () => h("div", { class: "day", role: "separator" }, h("span", {}, dayName(atTime(message.ts)))) });
    }
    items.push(messageItem(message, { ...place, compact: continues(before, message, place) }));
    if (place.thread && message.ts === ui.thread) items.push(replyRule(messages));
    before = message;
  }
  return items;
}

function replyRule(messages) {
  const count = messages.filter((message) => isReply(message) && !message.ephemeral).length;
  const text = count === 0 ? "No replies yet" : replies(count);
  return { key: "reply-rule", hash: text, build: () => h("div", { class: "reply-rule" }, h("span", {}, text)) };
}

const replies = (count) => (count === 1 ? "1 reply" : `${count} replies`);

function dayName(time) {
  const near = nearDay(time);
  return near ? near[0].toUpperCase() + near.slice(1) : time.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
}

function continues(before, message, place) {
  if (!before || message.ephemeral || before.ephemeral || message.broadcast || before.broadcast) return false;
  if (place.thread && before.ts === ui.thread) return false;
  return author(before).name === author(message).name && Number(message.ts) - Number(before.ts) < GROUP_SECONDS && atTime(before.ts).getDate() === atTime(message.ts).getDate();
}

function messageItem(message, place) {
  const key = keyOf(message);
  const thread = place.thread ? null : threadSummary(message);
  const { raw, reply_count: _, ...content } = message;
  const view = [shownText.has(key), shownRaw.has(key) ? raw : null, place.compact, thread, ui.namesKey, ui.state.shortcuts];
  const contentHash = digest(JSON.stringify(content));
  return {
    key,
    hash: digest(contentHash + JSON.stringify(view)),
    build: (previous) => {
      const node = messageNode(message, place, thread);
      node.dataset.content = contentHash;
      if (!place.fresh && previous?.dataset.content !== contentHash) node.classList.add("changed");
      return node;
    },
  };
}

function threadSummary(message) {
  if (isReply(message) || message.ephemeral) return null;
  const found = inOrder(currentChannel().messages.filter((reply) => isReply(reply) && reply.thread_ts === message.ts));
  const count = message.reply_count ?? found.length;
  if (!count) return null;
  return { count, last: found.at(-1)?.ts ?? null, people: [...new Set(found.map((reply) => author(reply).name))].slice(0, 3), open: ui.thread === message.ts };
}

/** Who wrote it, as shown. */
function author(message) {
  const user = person(message.user);
  const name = (message.bot ? message.username || ui.state.bot.name : user?.real_name || user?.name || message.username) || message.user || "Unknown";
  return { name: String(name), bot: Boolean(message.bot), handle: user?.name };
}

export function avatar(name, bot, small = false) {
  const node = h("span", { class: `avatar${bot ? " avatar-bot" : ""}${small ? " small" : ""}`, "aria-hidden": "true" });
  if (bot) node.append(icon("M4 5h12", "M4 10h8", "M4 15h4"));
  else node.append(name.split(/[\s._-]+/).filter(Boolean).slice(0, 2).map((word) => [...word][0].toUpperCase()).join(""));
  node.style.setProperty("--hue", String(Number.parseInt(digest(name), 36) % 360));
  return node;
}

function messageNode(message, place, thread) {
  const who = author(message);
  const compact = place.compact && !message.ephemeral;
  const classes = ["message", compact ? "compact" : "", message.ephemeral ? "ephemeral" : "", thread?.open ? "open-thread" : ""];
  const testid = message.ephemeral ? `ephemeral-${message.ts}` : `message-${message.ts}`;
  return h("article", { class: classes.filter(Boolean).join(" "), "data-testid": testid, "aria-label": `${who.name}, ${clock(atTime(message.ts))}` },
    h("div", { class: "gutter" }, compact ? timeNode(message) : avatar(who.name, who.bot)),
    h("div", { class: "message-main" },
      message.ephemeral ? onlyYou(message) : null,
      message.broadcast ? broadcastLine(message, place) : null,
      compact ? null : h("div", { class: "message-head" }, h("strong", { class: "author" }, who.name), who.bot ? h("span", { class: "badge" }, "APP") : null, timeNode(message), editedMark(message)),
      compact && message.edited ? h("div", { class: "message-head" }, editedMark(message)) : null,
      body(message), panels(message),
      thread ? threadLink(message, thread) : null),
    toolbar(message, place));
}

function timeNode(message) {
  const time = atTime(message.ts);
  return h("time", { class: "time", datetime: time.toISOString(), title: time.toLocaleString("en-GB") }, clock(time));
}

function editedMark(message) {
  if (!message.edited) return null;
  return h("span", { class: "edited", title: "This message was edited in place" }, `edited ${clock(atTime(message.edited.ts))}`);
}

function onlyYou(message) {
  const dismiss = h("button", { type: "button", class: "text-button" }, "Dismiss");
  dismiss.addEventListener("click", () => {
    dismissed.add(keyOf(message));
    changed();
  });
  return h("div", { class: "only-you" }, icon("M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5z", "M10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"), "Only visible to you", dismiss);
}

function broadcastLine(message, place) {
  if (place.thread) return h("div", { class: "broadcast" }, `also sent to #${currentChannel().name}`);
  const root = currentChannel().messages.find((other) => other.ts === message.thread_ts);
  const first = plain(String(root?.text ?? "")).map((part) => part.textContent ?? part).join("").split("\n")[0];
  const open = h("button", { type: "button", class: "text-button" }, first.length > 70 ? `${first.slice(0, 70)}…` : first || "a thread");
  open.addEventListener("click", () => navigate({ thread: message.thread_ts }));
  return h("div", { class: "broadcast" }, "replied to a thread: ", open);
}

function body(message) {
  if (!message.blocks?.length) return h("div", { class: "message-body mrkdwn" }, mrkdwn(String(message.text ?? ""), names));
  const surface = { channel: message.channel ?? ui.channel, ts: message.ts, ...(message.ephemeral ? { ephemeral: true } : {}) };
  return h("div", { class: "message-body blocks" }, renderBlocks(message.blocks, { names, surface: "message", act: actor(surface) }));
}

/** A function that sends clicks from this surface, shows that one is under way, and says what failed. */
export function actor(surface) {
  return async (payload, node) => {
    if (node?.getAttribute("aria-busy")) return false;
    node?.setAttribute("aria-busy", "true");
    const result = await post("/ui/click", { ...surface, ...payload });
    node?.removeAttribute("aria-busy");
    if (!result.ok) showBanner(result.error);
    return result.ok;
  };
}

function panels(message) {
  const key = keyOf(message);
  return [
    shownText.has(key) ? h("div", { class: "panel", "data-testid": "text-panel" }, h("h4", {}, "Text for notifications and screen readers"), h("div", { class: "panel-text" }, message.text ? mrkdwn(String(message.text), names) : "This message has no text.")) : null,
    shownRaw.has(key) ? h("div", { class: "panel", "data-testid": "raw-panel" }, h("h4", {}, "Raw message"), h("pre", { class: "code scroll-x", tabindex: "0" }, JSON.stringify(message.raw ?? message, null, 2))) : null,
  ];
}

function threadLink(message, thread) {
  const node = h("button", { type: "button", class: "thread-link", "data-focus": `replies-${message.ts}`, "data-testid": `replies-${message.ts}` },
    h("span", { class: "faces" }, thread.people.map((name) => avatar(name, name === ui.state.bot.name || name.toLowerCase() === ui.state.bot.name.toLowerCase(), true))),
    h("strong", {}, replies(thread.count)), thread.last ? h("span", { class: "last-reply" }, `last at ${clock(atTime(thread.last))}`) : null);
  node.addEventListener("click", () => navigate({ thread: message.ts }));
  return node;
}

function toolbar(message, place) {
  const key = keyOf(message);
  const bar = h("div", { class: "toolbar", role: "group", "aria-label": "Message actions" });
  if (!place.thread && !message.ephemeral) {
    const reply = h("button", { type: "button", "data-focus": "tool-reply", "aria-label": "Reply in thread", title: "Reply in thread" }, icon(...REPLY));
    reply.addEventListener("click", () => navigate({ thread: message.thread_ts ?? message.ts }));
    bar.append(reply);
  }
  bar.append(toggle("Text", "Show the text for notifications and screen readers", shownText, key), toggle("Raw", "Show the JSON of this message", shownRaw, key));
  const shortcuts = ui.state.shortcuts ?? [];
  if (!message.ephemeral && shortcuts.length > 0) bar.append(moreActions(message, shortcuts));
  return bar;
}

function toggle(label, title, shown, key) {
  const node = h("button", { type: "button", "data-focus": `tool-${label}`, "aria-pressed": String(shown.has(key)), title }, label);
  node.addEventListener("click", () => {
    if (!shown.delete(key)) shown.add(key);
    changed();
  });
  return node;
}

function moreActions(message, shortcuts) {
  const node = h("button", { type: "button", "data-focus": "tool-more", "aria-label": "More actions", title: "More actions", "aria-haspopup": "menu", "aria-expanded": "false" }, icon("M10 4v.01M10 10v.01M10 16v.01"));
  node.addEventListener("click", () => openMenu(node, shortcuts.map((shortcut) => ({
    label: shortcut.name,
    detail: ui.state.bot.name,
    run: async () => {
      const result = await post("/ui/shortcut", { channel: ui.channel, ts: message.ts, callback_id: shortcut.callback_id });
      if (!result.ok) showBanner(result.error);
    },
  }))));
  return node;
}
