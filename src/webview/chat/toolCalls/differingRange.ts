type Split = readonly [start: string, middle: string, end: string];

/** Splits two texts into common prefix, difference and common suffix; never inside a surrogate pair. */
export function differingRange(before: string, after: string): { readonly before: Split; readonly after: Split } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  if (isHalf(before, start) || isHalf(after, start)) start -= 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  if (isHalf(before, before.length - end) || isHalf(after, after.length - end)) end -= 1;
  const split = (text: string): Split => [
    text.slice(0, start),
    text.slice(start, text.length - end),
    text.slice(text.length - end),
  ];
  return { before: split(before), after: split(after) };
}

function isHalf(text: string, at: number): boolean {
  return at > 0 && at < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
