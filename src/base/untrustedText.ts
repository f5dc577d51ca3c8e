/* oxlint-disable no-control-regex -- this file is about control characters */

/**
 * Control characters, bidirectional overrides and characters without a shape, which can make text look like other text or hide text.
 * Joiners of emoji and of Indic and Persian words stay after a character of their script, one selector of a form after a symbol or ideograph.
 */
const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{DI}\u2028\u2029\ufff9-\ufffb](?<![\u0600-\u1fff\u2190-\ufe0f\u{1f000}-\u{1faff}][\u200c\u200d]|[#*\d©®‼-\ufdff\u{1f000}-\u{3ffff}][\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|[\u1800-\u18af][\u180b-\u180f])/gu;

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
