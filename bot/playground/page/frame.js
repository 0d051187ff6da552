/** The demo's frame: its clock and speed, the choice of a story, the tour, and how the same looks on a phone. */

import { digest, h } from "./dom.js";
import { showBanner } from "./menu.js";
import { clock, mrkdwn } from "./mrkdwn.js";
import { names, post, ui } from "./state.js";

const RATES = [[0, "Pause"], [1, "1×"], [10, "10×"], [60, "60×"]];
const place = (id) => document.getElementById(id);
let skipped = 0;

export function renderFrame() {
  const { frame, guide } = ui.state;
  place("frame").hidden = !frame && !guide?.length;
  place("clock").hidden = !frame || window !== window.top;
  if (frame) {
    once(place("rates"), frame.rate, () => RATES.map(([rate, label]) => rateButton(rate, label, frame.rate < 1 ? 0 : frame.rate)));
    once(place("story"), frame, () => frame.stories.map((story) => h("option", { value: story.name, title: story.teaches, selected: story.name === frame.story }, story.title)));
    place("story").hidden = frame.stories.length === 0;
  }
  renderTour(guide ?? []);
  showTime();
}

/** Fills a node again only when what it shows has changed, so that focus and open menus stay. */
function once(node, shown, build) {
  const hash = digest(JSON.stringify(shown));
  if (node.dataset.hash === hash) return;
  node.dataset.hash = hash;
  node.replaceChildren(...build());
}

function rateButton(rate, label, now) {
  return h("button", { type: "button", "aria-pressed": String(rate === now), "data-testid": `rate-${rate}`, on: { click: () => ask("/ui/clock", { rate }) } }, label);
}

async function ask(path, body) {
  const result = await post(path, body);
  if (!result.ok) showBanner(result.error);
}

/** The simulated time now: what the server said last, carried on at the clock's rate. */
function showTime() {
  if (!ui.state?.frame) return;
  const at = ui.clock.now + Math.min(3, (performance.now() - ui.clock.heard) / 1000) * ui.state.frame.rate;
  place("time").textContent = clock(new Date(at * 1000));
}

/** One step at a time: the first that has not happened yet and was not skipped. */
function renderTour(steps) {
  const at = steps.findIndex((step, index) => index >= skipped && !step.done && !steps.slice(index + 1).some((later) => later.done));
  const step = steps[at];
  place("tour").hidden = !step;
  for (const node of document.querySelectorAll(".pointed")) node.classList.remove("pointed");
  if (!step) return;
  [...document.querySelectorAll(`[data-testid="${CSS.escape(step.point ?? "")}"]`)].at(-1)?.classList.add("pointed");
  once(place("tour-step"), [step, at, steps.length], () => [
    h("span", { class: "quiet" }, `${at + 1} of ${steps.length}`), h("strong", {}, step.title), h("span", { class: "mrkdwn" }, mrkdwn(String(step.text ?? "").replaceAll("**", "*"), names)),
    at + 1 < steps.length ? h("button", { type: "button", class: "text-button", on: { click: () => skip(at + 1, steps) } }, "Skip") : null,
  ].filter(Boolean));
}

function skip(to, steps) {
  skipped = to;
  renderTour(steps);
}

/** The same place in a phone's width, and the notifications as they would arrive on its lock screen. */
function openPhone() {
  const said = (ui.state.channels ?? []).flatMap((channel) => channel.messages.filter((message) => message.bot && (!message.thread_ts || message.broadcast)).map((message) => ({ ...message, channel: channel.name })));
  const notes = said.sort((left, right) => Number(right.ts) - Number(left.ts)).slice(0, 3);
  const close = h("button", { type: "button", class: "button", autofocus: true }, "Back to the desktop");
  const dialog = h("dialog", { class: "phone", "data-testid": "phone", "aria-label": "On a phone" },
    h("section", { class: "lock", "aria-label": "Lock screen" }, h("p", { class: "lock-time" }, place("time").textContent),
      notes.map((message) => h("div", { class: "push" }, h("strong", {}, `${ui.state.bot.name} in #${message.channel}`), h("p", {}, String(message.text ?? "").slice(0, 178)))), close),
    h("iframe", { src: location.href, title: "The workspace at the width of a phone", width: "390", height: "760" }));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export function listenToFrame() {
  place("story").addEventListener("change", (event) => ask("/ui/story", { name: event.target.value }));
  place("phone").addEventListener("click", openPhone);
  setInterval(showTime, 500);
}
