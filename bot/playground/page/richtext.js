/** Tables, and the rich text in their cells. */

import { h, link } from "./dom.js";
import { plain } from "./mrkdwn.js";

/** A rich_text object: sections of text and links. */
function richText(block) {
  return (block.elements ?? []).map((part) => h("div", { class: "rich" }, (part.elements ?? []).map(richPiece)));
}

function richPiece(piece) {
  const { code, bold } = piece.style ?? {};
  const text = piece.type === "link" ? link(piece.url, piece.text || piece.url) : String(piece.text ?? "");
  const node = code ? h("code", {}, text) : text;
  return bold ? h("strong", {}, node) : node;
}

/** A table block; the first row is the header, as Slack shows it. */
export function table(block) {
  const settings = block.column_settings ?? [];
  const [head, ...body] = block.rows ?? [];
  const row = (cells, tag) => h("tr", {}, cells.map((cell, column) => {
    const align = settings[column]?.align ?? (cell?.type === "raw_number" ? "right" : "left");
    return h(tag, { class: `align-${align}${settings[column]?.is_wrapped ? " wrapped" : ""}`, scope: tag === "th" ? "col" : null }, cellContent(cell));
  }));
  return h("div", { class: "table scroll-x", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {}, head ? h("thead", {}, row(head, "th")) : null, h("tbody", {}, body.map((cells) => row(cells, "td")))));
}

function cellContent(cell) {
  if (!cell) return "";
  return cell.type === "rich_text" ? richText(cell) : plain(String(cell.text ?? cell.value ?? ""));
}
