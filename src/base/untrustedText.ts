/* oxlint-disable no-control-regex -- control characters are what this is about */

/**
 * Control characters, bidirectional overrides and characters without width: what can make text look like other text.
 * The joiners of emoji and of Indic and Persian words are left alone after a character of their kind.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\u{e0000}-\u{e007f}]|(?<![\u0600-\u1fff\u2190-\ufe0f\u{1f000}-\u{1faff}])[\u200c\u200d]/gu;

/** Shows what would be hidden, as `\u{202e}`; for text of an agent that a user decides by. Tabs and line ends stay. */
export function escapeInvisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Text for a notification. VS Code makes links of `[label](command:…)` there, and a click runs the command: a text that comes from
 * an agent, a registry or a workspace must not bring one.
 */
export function escapeMarkdownLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** As {@link escapeInvisible}, in one line: line ends are shown as ⏎. */
export function escapeInvisibleInline(text: string): string {
  // Only from where white space begins: else a long row of blanks takes its square.
  return escapeInvisible(text)
    .replace(/(?<!\s)\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ');
}

/** Text for places where VS Code makes icons of `$(name)`: what comes from an agent must not draw any. */
export function escapeIconSyntax(text: string): string {
  return text.replaceAll('$(', '$\u2060(');
}
