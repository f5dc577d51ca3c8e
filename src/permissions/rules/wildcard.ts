/** The literal parts between the `*` of a pattern; one part without any. A backslash escapes a `*` or a backslash. */
export function parseWildcard(pattern: string): readonly string[] {
  const parts = [''];
  for (const [token] of pattern.matchAll(/\\[*\\]|[^]/gu)) {
    if (token === '*') parts.push('');
    else parts.push((parts.pop() ?? '') + (token.length === 2 && token.startsWith('\\') ? token.slice(1) : token));
  }
  return parts;
}

/**
 * Whether all of `text` matches the parts with any characters in between. Linear time, because both may be untrusted.
 */
export function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}

/** Whether all of `text` matches a pattern in which `*` is any text. */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchesParts(parseWildcard(pattern), text);
}
