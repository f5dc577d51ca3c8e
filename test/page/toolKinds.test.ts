import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolKind } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import type { ToolStatus } from '../../src/shared/state/toolCallState';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import { NOON } from './sample';
import { call, calls, prompt } from './toolSample';

const KINDS = Object.keys(calls) as ToolKind[];
const STATES: readonly ToolStatus[] = ['pending', 'running', 'done', 'failed', 'rejected', 'canceled'];
/** The accessibility tree of each; regenerate with PARLEY_GOLDEN=write, then review by reading. */
const GOLDEN = join(process.cwd(), 'test', 'golden', 'toolCalls.txt');

/** A call in each state, and one that waits for the user. */
function inEveryState(kind: ToolKind): Action[] {
  const each = STATES.map((status): Action => {
    const patch = { ...calls[kind], status };
    return { type: 'toolStarted', toolCallId: status, patch, at: NOON };
  });
  const asked: Action = {
    type: 'permissionAsked',
    permissionId: 'p',
    tool: 1 + STATES.length,
    title: calls[kind].title ?? '',
    options: [{ optionId: 'y', name: 'Allow', kind: 'allow_once' }],
    at: NOON,
  };
  return [prompt, ...each, call(kind, { status: 'pending' }), asked];
}

describe('tool calls', () => {
  let chat: ChatPage;
  let written = '';
  const golden = process.env['PARLEY_GOLDEN'] === 'write' ? undefined : readFileSync(GOLDEN, 'utf8');
  afterEach(() => chat.close());
  after(async () => {
    if (golden === undefined) writeFileSync(GOLDEN, written);
  });

  const check = (name: string, text: string): void => {
    const part = `# ${name}\n${text}\n\n`;
    if (golden === undefined) written += part;
    else assert.equal(text, golden.split(`# ${name}\n`)[1]?.split('\n\n')[0]);
  };

  const rows = () => chat.page.locator('.entry.tool, .entry.permission');

  for (const kind of KINDS) {
    it(`of the kind "${kind}" are shown in every status`, async () => {
      chat = await ChatPage.with(inEveryState(kind));
      await chat.page.locator('.question .button:not([aria-disabled="true"])').waitFor();
      if (kind === 'execute') await chat.page.locator('.ansi-line').nth(9).waitFor();
      check(
        `${kind} in every state`,
        (await Promise.all((await rows().all()).map((row) => row.ariaSnapshot()))).join('\n'),
      );
    });

    it(`of the kind "${kind}" show everything the agent sent when expanded`, async () => {
      chat = await ChatPage.with([prompt, call(kind)]);
      const row = chat.page.locator('.entry.tool');
      const name = row.locator('button.tool-name[aria-expanded="false"]');
      if ((await name.count()) > 0) await name.click();
      if (kind === 'execute') await row.locator('.ansi-line').nth(1).waitFor();
      await eventually(async () => check(`${kind} unfolded`, await row.ariaSnapshot()));
      await row.locator('details').evaluateAll((all) => all.forEach((details) => details.setAttribute('open', '')));
      const text = await row.innerText();
      for (const part of texts(calls[kind].rawInput)) assert.ok(text.includes(part), `${part} is missing in ${text}`);
    });
  }

  it('open their files and links', async () => {
    chat = await ChatPage.with([prompt, ...KINDS.map((kind) => call(kind))]);
    await chat.button('lines 40–88 · src').click();
    await chat.button('Search for send(').click();
    await chat.page.getByRole('button', { name: '77 await send(part);' }).click();
    await chat.button('src/cli.ts').click();
    await chat.button('https://example.test/retry?attempts=4').click();
    await chat.button('src/net/retry.ts').click();
    assert.deepEqual(await chat.intents(), [
      { type: 'openFile', path: '/work/src/upload.ts', line: 40, lastLine: 88 },
      { type: 'openFile', path: 'src/upload.ts', line: 77 },
      { type: 'openFile', path: 'src/cli.ts' },
      { type: 'openLink', href: 'https://example.test/retry?attempts=4' },
      { type: 'openFile', path: 'src/net/retry.ts' },
    ]);
  });

  it('show a long result completely on request', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `src/a.ts:${index + 1}:line ${index}`);
    const content = [{ type: 'block', block: { type: 'text', text: lines.join('\n') } }] as const;
    chat = await ChatPage.with([prompt, call('search', { content }), call('read', { content })]);
    for (const name of ['Search for send(', 'Read upload.ts']) await chat.button(name).click();
    assert.equal(await chat.page.locator('.hit').count(), 19);
    assert.equal(await chat.page.locator('.code-line').count(), 12);
    await chat.button('Show all').click();
    await chat.button('Show all 60 lines').click();
    assert.equal(await chat.page.locator('.hit').count(), 60);
    assert.equal(await chat.page.locator('.code-line').count(), 60);
  });

  it('of an unknown kind show their input and output', async () => {
    chat = await ChatPage.with([prompt, call('other', { tool: 'dance' as ToolKind })]);
    await chat.button('scripted_echo').click();
    await chat.page.locator('.entry.tool', { hasText: /"loud": true[\s\S]*"HI"/ }).waitFor();
  });
});

/** All texts in a value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n').filter((line) => /^[\w ./-]+$/.test(line));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}
