/** Tables, and the rich text in their cells. */

import { h } from "./dom.js";
import { plain } from "./mrkdwn.js";

/** A rich_text object: sections of plain and bold text. */
function richText(block) {
  return (block.elements ?? []).map((part) => h("div", { class: "rich" }, (part.elements ?? []).map(richPiece)));
}

function richPiece(piece) {
  const text = String(piece.text ?? "");
  return piece.style?.bold ? h("strong", {}, text) : text;
}

/** A table block; the first row is the header, as Slack shows it. */
export function table(block) {
  const settings = block.column_settings ?? [];
  const [head, ...body] = block.rows ?? [];
  const row = (cells, tag) => h("tr", {}, cells.map((cell, column) => {
    return h(tag, { class: `align-${settings[column]?.align ?? "left"}${settings[column]?.is_wrapped ? " wrapped" : ""}`, scope: tag === "th" ? "col" : null }, cellContent(cell));
  }));
  return h("div", { class: "table scroll-x", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {}, head ? h("thead", {}, row(head, "th")) : null, h("tbody", {}, body.map((cells) => row(cells, "td")))));
}

function cellContent(cell) {
  if (!cell) return "";
  return cell.type === "rich_text" ? richText(cell) : plain(String(cell.text ?? ""));
}
