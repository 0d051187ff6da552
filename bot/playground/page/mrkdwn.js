/** Turns Slack's mrkdwn and plain text into DOM nodes; nothing in a message is ever read as markup. */

import { h, link } from "./dom.js";
import { ui } from "./state.js";

/** Signs of an incident's state, drawn as dots, so that a machine without emoji fonts shows them. */
const DOTS = { "🔴": "red", "🟡": "yellow", "🟢": "green", "⚪": "white" };

const NOT_AFTER = "(?<![\\p{L}\\p{N}])";
const NOT_BEFORE = "(?![\\p{L}\\p{N}])";
const styled = (mark) => `${NOT_AFTER}[${mark}](?=[^\\s${mark}])([^\\n]{0,2000}?[^\\s])[${mark}]${NOT_BEFORE}`;
const INLINE = new RegExp(
  ["<([^<>\\n]+)>", "`([^`\\n]+)`", styled("*"), styled("_"), styled("~"), "(https?://[^\\s<>|]+)"].join("|"),
  "giu",
);
const DOT = new RegExp(`(${Object.keys(DOTS).join("|")})`, "u");
const QUOTE = /^(?:&gt;|>) ?/;
const TRAILING = /[.,;:!?)\]'"*_~]+$/;

/** Slack's three escapes, once. */
function unescape(text) {
  return text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name]);
}

/** Plain text: escapes undone, dots drawn. */
export const plain = (text) => unescape(text).split(DOT).filter(Boolean).map((part) => (DOTS[part] ? dot(DOTS[part]) : part));

const dot = (colour) => h("span", { class: `dot dot-${colour}`, role: "img", "aria-label": `${colour} circle` });

/** A text object ({type, text}) as nodes, by its type. */
export function textObject(object, names) {
  if (!object) return [];
  const text = String(object.text ?? "");
  return object.type === "mrkdwn" ? mrkdwn(text, names) : plain(text);
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
function inline(text, names) {
  return split(text, INLINE, (match) => {
    const [, entity, code, bold, italic, strike, url] = match;
    if (entity !== undefined) return entityNode(entity, names);
    if (code !== undefined) return h("code", {}, codeNodes(code, names));
    if (bold !== undefined) return h("strong", {}, inline(bold, names));
    if (italic !== undefined) return h("em", {}, inline(italic, names));
    if (strike !== undefined) return h("s", {}, inline(strike, names));
    return bareLink(url);
  });
}

/** Text between matches as plain text, matches through `build`. */
function split(text, pattern, build) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) nodes.push(...plain(text.slice(from, match.index)));
    nodes.push(...[build(match)].flat());
    from = match.index + match[0].length;
  }
  if (from < text.length) nodes.push(...plain(text.slice(from)));
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

function mention(text, me = false) {
  return h("span", { class: me ? "mention mention-me" : "mention" }, text);
}

/** `epoch^format` in the reader's zone; the fallback is the tooltip, or the text when the time cannot be read. */
function dateNode(spec, fallback) {
  const [epoch, format] = spec.split("^");
  const time = new Date(Number(epoch) * 1000);
  if (!epoch || Number.isNaN(time.getTime())) return fallback ?? spec;
  return h("time", { datetime: time.toISOString(), title: fallback ?? time.toISOString() }, formatDate(time, format || "{date_short_pretty} {time}"));
}

/** The date tokens that Tailback uses, filled in local time. */
function formatDate(time, format) {
  const tokens = {
    date_short_pretty: () => nearDay(time) ?? time.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }),
    time: () => clock(time),
  };
  return unescape(format).replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(tokens, name) ? tokens[name]() : whole));
}

const pad = (number) => String(number).padStart(2, "0");

/** Hours and minutes, local, 24 h. */
export function clock(time) {
  return `${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** "today", "yesterday" or "tomorrow" by the workspace's clock, else null. */
export function nearDay(time) {
  const now = new Date(ui.clock.now * 1000 || Date.now());
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(time) - midnight(now)) / 86400000);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days] ?? null;
}
