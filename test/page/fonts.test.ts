import assert from 'node:assert/strict';
import { ChatPage } from './harness';
import { NOON } from './sample';

interface DomNode {
  readonly nodeId: number;
  readonly children?: readonly DomNode[];
}

/** Names of installed fonts that the page shows texts in. */
async function installedFonts({ page }: ChatPage): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument', { depth: -1 });
  const nodes = ({ nodeId, children = [] }: DomNode): number[] => [nodeId, ...children.flatMap(nodes)];
  const used = nodes(root).map((nodeId) =>
    session.send('CSS.getPlatformFontsForNode', { nodeId }).then(({ fonts }) => fonts),
  );
  return (await Promise.all(used)).flat().flatMap((font) => (font.isCustomFont ? [] : [font.familyName]));
}

const TEXT = 'Latin Łódź naïve, *cursive*, **bold**, `code → ✓ λ`, κόσμε, Привет, سلام, שלום, → ⇧ ✓ ≤ …';

describe('fonts of the page tests', () => {
  it('are used for all texts, so that no result depends on the fonts of the machine', async () => {
    const chat = await ChatPage.with([{ type: 'textAppended', role: 'agent', text: TEXT, at: NOON }]);
    await chat.log.getByText('cursive').waitFor();
    assert.deepEqual(await installedFonts(chat), []);
    await chat.close();
  });
});
