/** Characters of one chunk, about as many as a model sends at a time. */
export const chunkSize = 6;
/** Ends every sample, so that the page can detect the end. */
export const lastWord = 'THE-END';

/** Markdown as agents write it, `chunks` chunks long: prose, lists, code, tables. The words are numbered: w0, w1, … */
export function sampleText(chunks: number): string {
  const end = `\n\n${lastWord}`;
  const length = chunks * chunkSize - end.length;
  let count = 0;
  const words = (number: number): string => Array.from({ length: number }, () => `w${count++}`).join(' ');
  const sections: string[] = [];
  let size = 0;
  while (size < length) {
    const section = sections.length % 50 === 49 ? bigCode(words) : ordinary(words);
    sections.push(section);
    size += section.length;
  }
  return (
    sections
      .join('')
      .slice(0, length)
      .replace(/\w+$/, (tail) => 'x'.repeat(tail.length)) + end
  );
}

type Words = (number: number) => string;

function ordinary(words: Words): string {
  return [
    `## ${words(4)}\n\n`,
    `${words(30)} **${words(2)}** ${words(12)} \`${words(1)}\` ${words(20)} [${words(2)}](src/file.ts#L10).\n\n`,
    `- ${words(9)}\n- ${words(12)} *${words(1)}*\n  - ${words(6)}\n  - ${words(5)}\n- ${words(8)}\n\n`,
    `\`\`\`ts\n${code(words, 12)}\`\`\`\n\n`,
    `1. ${words(10)}\n2. ${words(11)}\n\n   \`\`\`sh\n   ${words(3)}\n   \`\`\`\n\n`,
    `| ${words(1)} | ${words(1)} | ${words(1)} |\n|---|:-:|--:|\n`,
    ...Array.from({ length: 5 }, () => `| ${words(2)} | ${words(1)} | ${words(3)} |\n`),
    `\n> ${words(25)}\n\n`,
  ].join('');
}

function bigCode(words: Words): string {
  return `\`\`\`ts\n${code(words, 120)}\`\`\`\n\n`;
}

function code(words: Words, lines: number): string {
  return Array.from({ length: lines }, () => `  const ${words(1)} = await call(${words(1)}, '${words(2)}');\n`).join(
    '',
  );
}

/** Number of sample words that are missing or out of order in the rendered text. */
export function lost(sample: string, shown: string): number {
  const expected = sample.match(/w\d+/g) ?? [];
  const found = shown.match(/w\d+/g) ?? [];
  return expected.filter((word, index) => found[index] !== word).length + Math.max(0, found.length - expected.length);
}
