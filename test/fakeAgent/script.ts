/** One line of a script: a directive and the rest of the line. */
export interface Directive {
  readonly name: string;
  readonly rest: string;
}

/**
 * Parses the lines of a prompt as directives; empty lines and lines that start with `#` are skipped. In a prompt with a line `#
 * script` only the lines between it and `# end` count: for scripts inside text that Parley generates.
 */
export function parseScript(text: string): Directive[] {
  const within = /^# script$([\s\S]*?)(?:^# end$|(?![\s\S]))/mu.exec(text);
  return (within?.[1] ?? text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
      return { name, rest };
    });
}

/** Words, separated by spaces; a word with spaces is written as a JSON string. */
export function words(text: string): string[] {
  return (text.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map((word) =>
    word.startsWith('"') ? (JSON.parse(word) as string) : word,
  );
}

/** The first word, and the unchanged rest. */
export function headAndTail(text: string): readonly [string, string] {
  const [, head = '', tail = ''] = /^("(?:[^"\\]|\\.)*"|\S+)\s*(.*)$/s.exec(text) ?? [];
  return [words(head)[0] ?? '', tail];
}

/** Resolves `\n`, `\t`, `\r` and `\\`. */
export function unescape(text: string): string {
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };
  return text.replaceAll(/\\([ntr\\])/g, (_, letter: string) => escapes[letter] ?? letter);
}

/** `id=kind:Name` or `kind:Name` (the id is then the kind); `_` in a name stands for a space. */
export function parseOption(text: string): { optionId: string; kind: string; name: string } {
  const [head, name = ''] = text.split(':');
  const [id = '', kind = id] = (head ?? '').split('=');
  return { optionId: id, kind, name: (name || kind).replaceAll('_', ' ') };
}

/** `a | b@in_progress | c@completed` */
export function parsePlan(text: string): { content: string; priority: string; status: string }[] {
  return text.split('|').map((item) => {
    const [content = '', status = 'pending'] = item.trim().split('@');
    return { content, priority: 'medium', status };
  });
}
