/** Markup within a line: the text of inline code, of links and images is kept. All parts are bounded: lines can be very long. */
const INLINE =
  /`([^`\n]{1,1000})`|!?\[([^\][\n]{1,1000})\]\([^()\n]{0,2000}\)|\*\*|~~|(?<!\w)[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}(?!\w)/g;
/** What begins a line: headings, quotes and lists. */
const BLOCK = /^ {0,20}(?:#{1,6} |> ?|[-*+] )+/;
const FENCE = /^ {0,20}(?:`{3}|~{3})/;

/** About the text that a message in Markdown shows, line by line, without parsing it. Code stays as it is. */
export function markdownToText(markdown: string): string {
  let isCode = false;
  const toText = (line: string): string => {
    if (FENCE.test(line)) {
      isCode = !isCode;
      return '';
    }
    return isCode ? line : line.replace(BLOCK, '').replaceAll(INLINE, '$1$2');
  };
  return markdown.split('\n').map(toText).join('\n');
}
