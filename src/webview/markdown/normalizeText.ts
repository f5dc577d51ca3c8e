/** Prepares text for the page: no characters that change the reading order, chunks of whole characters, HTML. */

/**
 * Invisible characters that change what the reader sees: C0 and C1 controls, and Unicode's bidirectional formatting.
 */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Replaces invisible controls by visible signs ("Trojan Source", CVE-2021-42574); the length may change. */
export function replaceControls(text: string): string {
  return text.replace(controls, controlPicture);
}

export function hasControls(text: string): boolean {
  controls.lastIndex = 0;
  const hasControls = controls.test(text);
  controls.lastIndex = 0;
  return hasControls;
}

function controlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/** Splits `text` into chunks of about `size` UTF-16 units, never inside a surrogate pair. */
export function chunksOf(text: string, size: number): string[] {
  if (text.length <= size) return [text];
  const result: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    result.push(text.slice(start, end));
    start = end;
  }
  return result;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}
