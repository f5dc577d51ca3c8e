import type { Turn } from '../turn';

const SECTIONS = 40;

/** A long answer of several hundred chunks: headings, paragraphs, lists and code, all numbered so that a gap would be seen. */
export async function long(turn: Turn): Promise<void> {
  await turn.say(`# A long answer in ${SECTIONS} sections`);
  for (let number = 1; number <= SECTIONS; number += 1) await turn.say(section(number));
  await turn.say(`That was the long answer: ${SECTIONS} sections, nothing left out.`);
}

function section(number: number): string {
  const paragraph = `## Section ${number} of ${SECTIONS}

This is paragraph ${number}. It is *scripted* text of **no meaning**, long enough to wrap in a narrow view, so that you can watch it stream, scroll up while it does, and stop it.`;
  if (number % 4 === 0)
    return `${paragraph}\n\n- first point of ${number}\n- second point of ${number}\n- third point of ${number}`;
  if (number % 5 === 0) return `${paragraph}\n\n\`\`\`ts\nexport const section = ${number};\n\`\`\``;
  return paragraph;
}
