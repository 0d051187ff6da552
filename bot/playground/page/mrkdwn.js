/** Turns Slack's mrkdwn and plain text into DOM nodes; nothing in a message is ever read as markup. */

import { h, link } from "./dom.js";
import { DOTS, emojiNode } from "./emoji.js";

const NOT_AFTER = "(?<![\\p{L}\\p{N}])";
const NOT_BEFORE = "(?![\\p{L}\\p{N}])";
const styled = (mark) => `${NOT_AFTER}[${mark}](?=[^\\s${mark}])([^\\n]{0,2000}?[^\\s])[${mark}]${NOT_BEFORE}`;
const INLINE = new RegExp(
  ["<([^<>\\n]+)>", "`([^`\\n]+)`", styled("*"), styled("_"), styled("~"), ":([a-z0-9_+-]+):", "(https?://[^\\s<>|]+)"].join("|"),
  "giu",
);
const EMOJI = /:([a-z0-9_+-]+):/g;
const DOT = new RegExp(`(${Object.keys(DOTS).join("|")})`, "u");
const QUOTE = /^(?:&gt;|>) ?/;
const TRAILING = /[.,;:!?)\]'"*_~]+$/;

/** Slack's three escapes, once. */
export function unescape(text) {
  return text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name]);
}

/** Plain text: escapes undone, known emoji shown. */
export function plain(text, withEmoji = true) {
  if (!withEmoji) return [unescape(text)];
  return split(text, EMOJI, (match) => emojiNode(match[1]) ?? match[0]);
}

/** A text object ({type, text}) as nodes, by its type. */
export function textObject(object, names) {
  if (!object) return [];
  const text = String(object.text ?? "");
  return object.type === "mrkdwn" ? mrkdwn(text, names) : plain(text, object.emoji !== false);
}

/** A whole mrkdwn text: code fences, quotes, and inline styles. */
export function mrkdwn(text, names) {
  const parts = String(text).split(/```([\s\S]+?)```\n?/);
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return quoted(part, names);
    return [h("pre", { class: "code scroll-x", tabindex: "0" }, codeNodes(part.replace(/^\n/, "").replace(/\n$/, ""), names))];
  });
}

function quoted(text, names) {
  const nodes = [];
  let quote = null;
  const lines = text.split("\n");
  lines.forEach((line, index) => {
    if (QUOTE.test(line)) {
      if (quote) quote.append("\n");
      else nodes.push((quote = h("blockquote")));
      quote.append(...inline(line.replace(QUOTE, ""), names));
      return;
    }
    const afterQuote = quote !== null;
    quote = null;
    if (afterQuote && line === "" && index === lines.length - 1) return;
    if (index > 0 && !afterQuote) nodes.push("\n");
    nodes.push(...inline(line, names));
  });
  return nodes;
}

/** Inline mrkdwn of one line. */
export function inline(text, names) {
  return split(text, INLINE, (match) => {
    const [whole, entity, code, bold, italic, strike, emoji, url] = match;
    if (entity !== undefined) return entityNode(entity, names);
    if (code !== undefined) return h("code", {}, codeNodes(code, names));
    if (bold !== undefined) return h("strong", {}, inline(bold, names));
    if (italic !== undefined) return h("em", {}, inline(italic, names));
    if (strike !== undefined) return h("s", {}, inline(strike, names));
    if (emoji !== undefined) return emojiNode(emoji) ?? whole;
    return bareLink(url);
  });
}

/** Text without escapes, its dots drawn. */
const words = (text) => unescape(text).split(DOT).filter(Boolean).map((part) => (DOTS[part] ? emojiNode(DOTS[part]) : part));

/** Text between matches as words, matches through `build`. */
function split(text, pattern, build) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) nodes.push(...words(text.slice(from, match.index)));
    nodes.push(...[build(match)].flat());
    from = match.index + match[0].length;
  }
  if (from < text.length) nodes.push(...words(text.slice(from)));
  return nodes;
}

function codeNodes(text, names) {
  return split(text, /<([^<>\n]+)>/g, (match) => entityNode(match[1], names));
}

function bareLink(url) {
  const tail = TRAILING.exec(url)?.[0] ?? "";
  const address = unescape(url.slice(0, url.length - tail.length));
  return tail ? [link(address, address), tail] : [link(address, address)];
}

/** What stands between < and >: a mention, a date, a broadcast or a link. */
function entityNode(entity, names) {
  const bar = entity.indexOf("|");
  const target = bar < 0 ? entity : entity.slice(0, bar);
  const label = bar < 0 ? null : unescape(entity.slice(bar + 1));
  if (target.startsWith("@")) return mention(`@${names.user(target.slice(1))}`, names.isMe(target.slice(1)));
  if (target.startsWith("#")) return mention(`#${label || names.channel(target.slice(1))}`);
  if (target.startsWith("!subteam^")) return mention(`@${names.group(target.slice(9)).replace(/^@/, "")}`);
  if (target.startsWith("!date^")) return dateNode(target.slice(6), label);
  if (/^!(here|channel|everyone)$/.test(target)) return mention(`@${target.slice(1)}`);
  if (target.startsWith("!")) return label ?? `<${unescape(entity)}>`;
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return link(unescape(target), label ?? unescape(target));
  return `<${unescape(entity)}>`;
}

export function mention(text, me = false) {
  return h("span", { class: me ? "mention mention-me" : "mention" }, text);
}

/** `epoch^format^link` in the reader's zone; the fallback is the tooltip, or the text when the time cannot be read. */
function dateNode(spec, fallback) {
  const [epoch, format, address] = spec.split("^");
  const time = new Date(Number(epoch) * 1000);
  if (!epoch || Number.isNaN(time.getTime())) return fallback ?? spec;
  const node = h("time", { datetime: time.toISOString(), title: fallback ?? time.toISOString() }, formatDate(time, format || "{date_short} {time}"));
  return address ? link(unescape(address), node) : node;
}

/** Slack's date tokens ({time}, {date_short}, {ago}, …) filled in local time. */
export function formatDate(time, format) {
  const day = (options) => time.toLocaleDateString("en-GB", options);
  const near = nearDay(time);
  const tokens = {
    date_num: () => `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`,
    date: () => day({ day: "numeric", month: "long", year: "numeric" }),
    date_short: () => day({ day: "numeric", month: "short", year: "numeric" }),
    date_long: () => day({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
    date_pretty: () => near ?? tokens.date(),
    date_short_pretty: () => near ?? tokens.date_short(),
    date_long_pretty: () => near ?? tokens.date_long(),
    time: () => clock(time),
    time_secs: () => `${clock(time)}:${pad(time.getSeconds())}`,
    ago: () => ago(time),
  };
  return unescape(format).replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(tokens, name) ? tokens[name]() : whole));
}

const pad = (number) => String(number).padStart(2, "0");

/** Hours and minutes, local, 24 h. */
export function clock(time) {
  return `${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** "today", "yesterday" or "tomorrow", else null. */
export function nearDay(time, now = new Date()) {
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(time) - midnight(now)) / 86400000);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days] ?? null;
}

function ago(time) {
  const seconds = Math.round((time.getTime() - Date.now()) / 1000);
  const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}
