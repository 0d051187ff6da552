/** The few emoji that operational messages use; any other name is shown as text. */

const TABLE = {
  alarm_clock: "⏰", arrow_down: "⬇️", arrow_forward: "▶️", arrow_right: "➡️", arrow_up: "⬆️", bar_chart: "📊",
  bell: "🔔", no_bell: "🔕", bulb: "💡", calendar: "📅", chart_with_downwards_trend: "📉", chart_with_upwards_trend: "📈",
  cloud: "☁️", computer: "💻", construction: "🚧", crescent_moon: "🌙", double_vertical_bar: "⏸️", eyes: "👀",
  exclamation: "❗", fire: "🔥", gear: "⚙️", hammer_and_wrench: "🛠️", heart: "❤️", heavy_check_mark: "✔️",
  hourglass: "⌛", hourglass_flowing_sand: "⏳", information_source: "ℹ️", key: "🔑", link: "🔗", lock: "🔒", unlock: "🔓",
  loudspeaker: "📢", mag: "🔍", memo: "📝", moneybag: "💰", mute: "🔇", no_entry: "⛔", octagonal_sign: "🛑",
  ok_hand: "👌", package: "📦", pray: "🙏", question: "❓", raised_hands: "🙌", recycle: "♻️", repeat: "🔁",
  robot_face: "🤖", rocket: "🚀", rotating_light: "🚨", siren: "🚨", slightly_smiling_face: "🙂", smile: "😄", snail: "🐌",
  sparkles: "✨", speaker: "🔈", speech_balloon: "💬", stopwatch: "⏱️", tada: "🎉", thinking_face: "🤔", ticket: "🎫",
  warning: "⚠️", wave: "👋", white_check_mark: "✅", wrench: "🔧", x: "❌", zap: "⚡", zzz: "💤",
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎",
};

const DOT_COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "brown", "black", "white"];

/** Signs that are drawn as dots too, so that a machine without emoji fonts shows them. */
export const DOTS = { "🔴": "red_circle", "🟠": "orange_circle", "🟡": "yellow_circle", "🟢": "green_circle", "🔵": "blue_circle", "⚪": "white_circle", "⚫": "black_circle" };

/** A node for `:name:`, or null when the name is not in the table. */
export function emojiNode(name) {
  const dot = /^(?:large_)?([a-z]+)_(circle|square)$/.exec(name);
  const node = document.createElement("span");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", name.replaceAll("_", " "));
  node.title = `:${name}:`;
  if (dot && DOT_COLOURS.includes(dot[1])) {
    node.className = `emoji dot dot-${dot[1]} ${dot[2]}`;
    return node;
  }
  if (!Object.hasOwn(TABLE, name)) return null;
  node.className = "emoji";
  node.textContent = TABLE[name];
  return node;
}
