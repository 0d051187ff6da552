/** The text-like blocks beside mrkdwn: rich_text, table and markdown. */

import { h, link } from "./dom.js";
import { emojiNode } from "./emoji.js";
import { formatDate, mention, plain } from "./mrkdwn.js";

/** A rich_text block (also inside table cells). */
export function richText(block, names) {
  return (block.elements ?? []).map((part) => richPart(part, names));
}

function richPart(part, names) {
  const pieces = () => (part.elements ?? []).map((piece) => richPiece(piece, names));
  switch (part.type) {
    case "rich_text_section":
      return h("div", { class: "rich" }, pieces());
    case "rich_text_list": {
      const list = h(part.style === "ordered" ? "ol" : "ul", { class: `rich-list indent-${Math.min(part.indent ?? 0, 4)}` });
      if (part.style === "ordered" && part.offset) list.start = part.offset + 1;
      for (const item of part.elements ?? []) list.append(h("li", {}, richPart(item, names)));
      return list;
    }
    case "rich_text_preformatted":
      return h("pre", { class: "code scroll-x", tabindex: "0" }, pieces());
    case "rich_text_quote":
      return h("blockquote", {}, pieces());
    default:
      return richPiece(part, names);
  }
}

function richPiece(piece, names) {
  switch (piece.type) {
    case "text":
      return richStyle(String(piece.text ?? ""), piece.style);
    case "link":
      return richStyle(link(piece.url, piece.text || piece.url), piece.style);
    case "emoji":
      return emojiNode(piece.name) ?? `:${piece.name}:`;
    case "user":
      return mention(`@${names.user(piece.user_id)}`, names.isMe(piece.user_id));
    case "usergroup":
      return mention(`@${names.group(piece.usergroup_id)}`);
    case "channel":
      return mention(`#${names.channel(piece.channel_id)}`);
    case "broadcast":
      return mention(`@${piece.range}`);
    case "date": {
      const time = new Date(Number(piece.timestamp) * 1000);
      return Number.isNaN(time.getTime()) ? (piece.fallback ?? "") : h("time", { title: piece.fallback }, formatDate(time, piece.format ?? "{date_short} {time}"));
    }
    default:
      return String(piece.text ?? "");
  }
}

function richStyle(content, style = {}) {
  let node = content;
  if (style.code) node = h("code", {}, node);
  if (style.strike) node = h("s", {}, node);
  if (style.italic) node = h("em", {}, node);
  if (style.bold) node = h("strong", {}, node);
  return node;
}

/** A table or data_table block; the first row is the header, as Slack shows it. */
export function table(block, names) {
  const settings = block.column_settings ?? [];
  const [head, ...body] = block.rows ?? [];
  const row = (cells, tag) => h("tr", {}, cells.map((cell, column) => {
    const align = settings[column]?.align ?? (cell?.type === "raw_number" ? "right" : "left");
    return h(tag, { class: `align-${align}${settings[column]?.is_wrapped ? " wrapped" : ""}`, scope: tag === "th" ? "col" : null }, cellContent(cell, names));
  }));
  return grid(head ? row(head, "th") : null, body.map((cells) => row(cells, "td")), block.caption);
}

function grid(head, rows, caption) {
  const title = typeof caption === "string" ? caption : caption?.text;
  return h("div", { class: "table scroll-x", tabindex: "0", role: "region", "aria-label": title || "Table" },
    h("table", {}, title ? h("caption", {}, title) : null, head ? h("thead", {}, head) : null, h("tbody", {}, rows)));
}

function cellContent(cell, names) {
  if (!cell) return "";
  if (cell.type === "rich_text") return richText(cell, names);
  return plain(String(cell.text ?? cell.value ?? ""));
}

/** A markdown block: headings, paragraphs, lists, quotes, fences, tables and inline styles. */
export function markdown(text) {
  const nodes = [];
  const lines = String(text).split("\n");
  while (lines.length > 0) {
    const line = lines[0];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (/^```/.test(line)) nodes.push(fence(lines));
    else if (heading) nodes.push(h("p", { class: "md-heading" }, markdownInline(lines.shift() && heading[2])));
    else if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) nodes.push(markdownList(lines));
    else if (/^>/.test(line)) nodes.push(h("blockquote", {}, markdownInline(takeWhile(lines, (next) => /^>/.test(next)).map((next) => next.replace(/^> ?/, "")).join("\n"))));
    else if (/^\s*\|.*\|\s*$/.test(line)) nodes.push(markdownTable(takeWhile(lines, (next) => /^\s*\|/.test(next))));
    else if (/^\s*(---+|\*\*\*+)\s*$/.test(line)) nodes.push(h("hr", lines.shift() && {}));
    else if (line.trim() === "") lines.shift();
    else nodes.push(h("p", {}, markdownInline(paragraph(lines))));
  }
  return nodes;
}

function takeWhile(lines, test) {
  const taken = [];
  while (lines.length > 0 && test(lines[0])) taken.push(lines.shift());
  return taken;
}

function paragraph(lines) {
  const first = lines.shift();
  return [first, ...takeWhile(lines, (next) => next.trim() !== "" && !/^(```|#{1,6}\s|>|\s*([-*+]|\d+[.)])\s|\s*\|)/.test(next))].join("\n");
}

function fence(lines) {
  lines.shift();
  const code = takeWhile(lines, (next) => !/^```/.test(next));
  lines.shift();
  return h("pre", { class: "code scroll-x", tabindex: "0" }, code.join("\n"));
}

function markdownList(lines) {
  const ordered = /^\s*\d/.test(lines[0]);
  const items = takeWhile(lines, (next) => /^\s*([-*+]|\d+[.)])\s+/.test(next));
  return h(ordered ? "ol" : "ul", { class: "rich-list" }, items.map((item) => h("li", {}, markdownInline(item.replace(/^\s*([-*+]|\d+[.)])\s+/, "")))));
}

function markdownTable(lines) {
  const rows = lines.map((line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim()));
  const ruled = rows.length > 1 && rows[1].every((cell) => /^:?-+:?$/.test(cell));
  const row = (cells, tag) => h("tr", {}, cells.map((cell) => h(tag, {}, markdownInline(cell))));
  return grid(ruled ? row(rows[0], "th") : null, (ruled ? rows.slice(2) : rows).map((cells) => row(cells, "td")), null);
}

const INLINE = /`([^`\n]+)`|\*\*(?=\S)([^\n]{0,2000}?\S)\*\*|(?<![\p{L}\p{N}])[*_](?=[^\s*_])([^\n]{0,2000}?[^\s])[*_](?![\p{L}\p{N}])|~~(?=\S)([^\n]{0,2000}?\S)~~|\[([^\]\n]{1,500})\]\(([^)\s]+)\)|(https?:\/\/[^\s<>|)]+)|:([a-z0-9_+-]+):/giu;

function markdownInline(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [whole, code, bold, italic, strike, label, target, url, emoji] = match;
    if (code !== undefined) nodes.push(h("code", {}, code));
    else if (bold !== undefined) nodes.push(h("strong", {}, markdownInline(bold)));
    else if (italic !== undefined) nodes.push(h("em", {}, markdownInline(italic)));
    else if (strike !== undefined) nodes.push(h("s", {}, markdownInline(strike)));
    else if (label !== undefined) nodes.push(link(target, label));
    else if (url !== undefined) nodes.push(link(url, url));
    else nodes.push(emojiNode(emoji) ?? whole);
  }
  nodes.push(text.slice(from));
  return nodes;
}
