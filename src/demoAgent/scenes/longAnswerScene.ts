import type { DemoTurn } from '../demoTurn';

const SECTIONS = 40;

/** A long answer of several hundred chunks: headings, paragraphs, lists and code, all numbered to reveal gaps. */
export async function long(turn: DemoTurn, input = ''): Promise<void> {
  const requested = Number(/^\d{1,2}$/.exec(input.trim())?.[0]);
  const count = requested > 0 ? requested : SECTIONS;
  await turn.streamMessage(`# A long answer in ${count} sections`);
  for (let number = 1; number <= count; number += 1) await turn.streamMessage(section(number, count));
  await turn.streamMessage(`That was the long answer: ${count} sections, nothing left out.`);
}

function section(number: number, count: number): string {
  const paragraph = `## Section ${number} of ${count}

This is paragraph ${number}. It is *scripted* text of **no meaning**, long enough to wrap in a narrow view, so that you can watch it stream, scroll up while it does, and stop it.`;
  if (number % 4 === 0)
    return `${paragraph}\n\n- first point of ${number}\n- second point of ${number}\n- third point of ${number}`;
  if (number % 5 === 0) return `${paragraph}\n\n\`\`\`ts\nexport const section = ${number};\n\`\`\``;
  return paragraph;
}
