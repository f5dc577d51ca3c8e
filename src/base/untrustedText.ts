/* oxlint-disable no-control-regex -- this file is about control characters */

/**
 * Control characters, bidirectional overrides and zero-width characters, which can make text look like other text. Joiners of emoji and of
 * Indic and Persian words stay after a character of their script.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]|(?<![\u0600-\u1fff\u2190-\ufe0f\u{1f000}-\u{1faff}])[\u200c\u200d]/gu;

/** Shows hidden characters as `\u{202e}`, for text of an agent on which a user decides. Tabs and line ends stay. */
export function escapeInvisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Escapes text for a notification. VS Code turns `[label](command:…)` into a link whose click runs the command, so text of an agent, a
 * registry or a workspace must not contain one.
 */
export function escapeMarkdownLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Like {@link escapeInvisible}, on one line: line ends become ⏎. */
export function escapeInvisibleInline(text: string): string {
  // Matches only at the start of white space: matching inside a long run of blanks would take quadratic time.
  return escapeInvisible(text)
    .replace(/(?<!\s)\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ');
}

/** Escapes text where VS Code replaces `$(name)` by an icon: untrusted text must not contain icons. */
export function escapeIconSyntax(text: string): string {
  return text.replaceAll('$(', '$\u2060(');
}

/** Escapes untrusted text for a row of a list or a label: on one line, without hidden characters and icons. */
export function plainLabel(text: string): string {
  return escapeIconSyntax(escapeInvisibleInline(text));
}
