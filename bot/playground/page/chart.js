/** data_visualization blocks: a line, bar or area chart as SVG, in the page's own colours, with its table of values. */

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 400;
const HEIGHT = 190;
const FIGURES = ["queued", "runners", "longest wait"]; // one color per figure, in every chart
const PAD = { left: 40, right: 8, top: 8, bottom: 46 };

function s(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** One chart card; never narrower than Slack's 400 px, so that it scrolls inside itself on a phone. */
export function chart(block) {
  const made = block.chart ?? {};
  const series = made.series ?? [];
  const labels = made.axis_config?.categories ?? [];
  const title = String(block.title ?? "Chart");
  const top = nice(Math.max(1, ...series.flatMap((one) => one.data.map((point) => point.value))));
  const x = (index) => PAD.left + (index * (WIDTH - PAD.left - PAD.right)) / Math.max(1, labels.length - 1);
  const y = (value) => HEIGHT - PAD.bottom - (value * (HEIGHT - PAD.top - PAD.bottom)) / top;
  const picture = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": `${title}: the table below has the values` });
  for (const part of [0, 0.5, 1]) {
    picture.append(s("line", { x1: PAD.left, x2: WIDTH - PAD.right, y1: y(top * part), y2: y(top * part), class: "chart-grid" }),
      s("text", { x: PAD.left - 6, y: y(top * part) + 4, class: "chart-label", "text-anchor": "end" }, short(top * part)));
  }
  const every = Math.ceil(labels.length / 8);
  labels.forEach((label, index) => {
    if ((labels.length - 1 - index) % every) return;
    const at = `${x(index)},${HEIGHT - PAD.bottom + 12}`;
    picture.append(s("text", { x: x(index), y: HEIGHT - PAD.bottom + 12, class: "chart-label", "text-anchor": "end", transform: `rotate(-45 ${at})` }, label));
  });
  const color = (name) => `chart-${Math.max(0, FIGURES.indexOf(name))}`;
  series.forEach((one) => {
    picture.append(s("polyline", { points: one.data.map((point, place) => `${x(place)},${y(point.value)}`).join(" "), class: `chart-line ${color(one.name)}` }));
  });
  const key = h("div", { class: "chart-key" }, series.map((one) => h("span", { class: `chart-name ${color(one.name)}` }, one.name)));
  return h("figure", { class: "block chart scroll-x", tabindex: "0", role: "region", "aria-label": title },
    h("figcaption", {}, title), picture, key, values(title, labels, series));
}

function values(title, labels, series) {
  return h("details", {}, h("summary", {}, "View as table"),
    h("table", {}, h("caption", {}, title),
      h("thead", {}, h("tr", {}, h("th", {}, "Time"), series.map((one) => h("th", {}, one.name)))),
      h("tbody", {}, labels.map((label, index) => h("tr", {}, h("th", {}, label), series.map((one) => h("td", {}, String(one.data[index]?.value ?? "–"))))))));
}

function nice(most) {
  const tens = 10 ** Math.floor(Math.log10(most));
  return tens * [1, 2, 5, 10].find((factor) => factor * tens >= most);
}

function short(value) {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}
