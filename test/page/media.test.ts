import assert from 'node:assert/strict';
import type { Block } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import { eventually } from '../kit/waiting';
import { ChatPage, environment } from './harness';
import { NOON } from './sample';
import { prompt } from './toolSample';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A tenth of a second of silence: 8,000 samples a second of 8 bits. */
const SILENCE = Buffer.concat([
  Buffer.from('RIFF'),
  numbers(4, 36 + 800),
  Buffer.from('WAVEfmt '),
  numbers(4, 16),
  numbers(2, 1, 1),
  numbers(4, 8000, 8000),
  numbers(2, 1, 8),
  Buffer.from('data'),
  numbers(4, 800),
  Buffer.alloc(800, 128),
]).toString('base64');

function numbers(bytes: number, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [index, value] of values.entries()) buffer.writeUIntLE(value, index * bytes, bytes);
  return buffer;
}

const block = (one: Block): Action => ({ type: 'blockAppended', role: 'agent', block: one, at: NOON });

describe('media content', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const agent = () => chat.page.getByRole('article', { name: 'Agent' });

  it('is an image that can be enlarged, opened and saved', async () => {
    chat = await ChatPage.with([
      prompt,
      block({ type: 'image', data: PIXEL, mimeType: 'image/png', uri: 'chart.png' }),
    ]);
    const enlarge = chat.button('Enlarge chart.png');
    await enlarge.click();
    const viewer = chat.page.getByRole('dialog', { name: 'chart.png' });
    assert.equal(
      await viewer.ariaSnapshot(),
      [
        '- dialog "chart.png":',
        '  - text: chart.png',
        '  - button "Open in Editor"',
        '  - button "Save As…"',
        '  - button "Close"',
        '  - img "chart.png"',
      ].join('\n'),
    );
    await viewer.getByRole('button', { name: 'Open in Editor' }).click();
    await viewer.getByRole('button', { name: 'Save As…' }).click();
    assert.deepEqual(await chat.intents(), [
      { type: 'openData', data: PIXEL, mimeType: 'image/png' },
      { type: 'saveData', data: PIXEL, mimeType: 'image/png' },
    ]);
    await chat.page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    assert.equal(await enlarge.evaluate((element) => document.activeElement === element), true);
  });

  it('is audio that can be played', async () => {
    chat = await ChatPage.with([prompt, block({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' })]);
    const player = chat.page.locator('audio');
    await eventually(async () => {
      assert.equal(await player.evaluate((audio) => (audio as HTMLAudioElement).duration), 0.1);
    });
    assert.deepEqual(await chat.violations(), []);
    await chat.button('Save As…').click();
    assert.deepEqual(await chat.intents(), [{ type: 'saveData', data: SILENCE, mimeType: 'audio/wav' }]);
  });

  it('is shown by name if the format is unsupported, and can be saved', async () => {
    chat = await ChatPage.with([
      prompt,
      block({ type: 'audio', data: 'AAAA', mimeType: 'audio/x-nothing' }),
      block({ type: 'image', data: 'AAAA', mimeType: 'image/png', uri: 'broken.png' }),
      block({ type: 'resource', uri: 'file:///a/b.bin', blob: 'AAAA', mimeType: 'application/zip' }),
    ]);
    await eventually(async () => {
      assert.equal(
        await agent().ariaSnapshot(),
        [
          '- article "Agent":',
          '  - text: Audio audio/x-nothing, 3 B',
          '  - button "Open in Editor"',
          '  - button "Save As…"',
          '  - button "broken.png image/png"',
          '  - text: b.bin application/zip, 3 B',
          '  - button "Open in Editor"',
          '  - button "Save As…"',
        ].join('\n'),
      );
    });
  });

  it('shows the size of a linked file in one line, beside a long name', async () => {
    const name = 'a-long-name-of-a-file-that-an-agent-has-written-for-the-user.pdf';
    const link = block({ type: 'link', uri: `file:///work/${name}`, name, size: 123_456 });
    chat = await ChatPage.with([prompt, link], { width: 300 });
    const height = await chat.page.locator('.chip').evaluate((chip) => chip.getBoundingClientRect().height);
    assert.ok(height < 26, `${height} px`);
  });

  it('is a document with colored text, completely shown on request', async () => {
    const text = Array.from({ length: 30 }, (_, index) => `export const a${index} = ${index};`).join('\n');
    chat = await ChatPage.with([prompt, block({ type: 'resource', uri: 'file:///work/src/a.ts#L1-L30', text })]);
    await chat.page.locator('.resource .tok-keyword').first().waitFor();
    assert.equal(await chat.page.locator('.code-line').count(), 12);
    await chat.button('Show all 30 lines').click();
    assert.equal(await chat.page.locator('.code-line').count(), 30);
  });
});

describe('thoughts', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const thinking: Action = { type: 'textAppended', role: 'thought', text: 'Hm, let me see.', at: NOON };
  const done: Action = { type: 'textAppended', role: 'agent', text: 'Yes.', at: NOON + 6000 };
  const isOpen = async (): Promise<boolean> =>
    (await chat.page.getByRole('article', { name: 'Thought' }).locator('.thought-body').count()) === 1;

  for (const [thoughts, during, after] of [
    ['auto', true, false],
    ['collapsed', false, false],
    ['expanded', true, true],
  ] as const) {
    it(`are ${during ? 'open' : 'closed'} while they stream and ${after ? 'open' : 'closed'} after with "${thoughts}"`, async () => {
      chat = await ChatPage.open();
      await chat.snapshot([prompt, thinking], { ...environment, thoughts });
      assert.equal(await isOpen(), during);
      await chat.act(done);
      assert.equal(await isOpen(), after);
      // The user's action has priority.
      await chat.button('Thought for 6 s').click();
      assert.equal(await isOpen(), !after);
    });
  }
});
