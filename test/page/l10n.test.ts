import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuditHostMessage, AuditPageMessage } from '../../src/shared/protocol/auditPageProtocol';
import type * as l10nModule from '../host/l10n.mjs';
import { auditRecords } from './auditRecords';
import type { Language } from './harness';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';
import { PanelPage } from './panelPage';
import { scenes } from './scenes/all';
import { openScene } from './scenes/scene';

/** The page in languages with longer texts than English, and in right-to-left languages. */

const english = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Record<string, string>;
const NARROW = 300;

describe('languages of the page', () => {
  let pseudo: Language;
  before(async () => {
    const host = pathToFileURL(join(process.cwd(), 'test/host/l10n.mjs')).href;
    const l10n = (await import(host)) as typeof l10nModule;
    pseudo = { tag: 'qps-ploc', table: Object.fromEntries(Object.keys(english).map((key) => [key, l10n.pseudo(key)])) };
  });

  for (const scene of scenes) {
    it(`cuts nothing and shows no English in ${scene.name}, with texts 40 % longer at ${NARROW} pixels, in both directions`, async () => {
      const page = await openScene(scene, { width: NARROW, language: pseudo });
      const cut = await page.page.evaluate(clipped);
      const said = await page.page.evaluate(texts);
      const fromHost = await page.page.evaluate(textsOfHost);
      await page.page.evaluate(() => (document.documentElement.dir = 'rtl'));
      await page.frame();
      const cutFromRight = await page.page.evaluate(clipped);
      await page.close();
      assert.deepEqual({ cut, cutFromRight }, { cut: [], cutFromRight: [] });
      assert.deepEqual(
        said.filter((text) => Object.hasOwn(english, text) && !fromHost.includes(text)),
        [],
      );
      assert.ok(
        said.some((text) => text.includes('~')),
        'no pseudo-translated text is there',
      );
    });
  }

  it('is laid out in the direction of the language', async () => {
    for (const [tag, direction] of [
      ['he', 'rtl'],
      ['ar-EG', 'rtl'],
      ['de', 'ltr'],
      ['zh-cn', 'ltr'],
    ] as const) {
      const page = await ChatPage.with([], { language: { tag, table: {} } });
      const html = page.page.locator('html');
      assert.deepEqual([await html.getAttribute('lang'), await html.getAttribute('dir')], [tag, direction]);
      await page.close();
    }
  });

  it('is used in the tab of the audit log, with localized dates', async () => {
    const table = { 'Filter by text': 'Nach Text filtern', Time: 'Zeit', Allowed: 'Erlaubt' };
    const language: Language = { tag: 'de', table };
    const page = await PanelPage.open<AuditHostMessage, AuditPageMessage>({
      script: 'audit',
      title: 'Audit Log',
      language,
    });
    await page.post({ type: 'records', fresh: true, records: auditRecords });
    await page.page.getByRole('columnheader', { name: 'Zeit' }).waitFor();
    await page.page.getByRole('searchbox', { name: 'Nach Text filtern' }).waitFor();
    await page.page.getByRole('gridcell', { name: 'Erlaubt' }).first().waitFor();
    assert.deepEqual([page.errors, await page.violations()], [[], []]);
    await page.close();
  });

  it('escapes translations that contain markup', async () => {
    const language: Language = { tag: 'de', table: { Send: '</script><img src=x>' } };
    const page = await ChatPage.with([], { language });
    assert.equal(await page.page.getByRole('button', { name: '</script><img src=x>' }).count(), 1);
    assert.deepEqual([page.pageErrors, await page.violations(), await page.page.locator('img').count()], [[], [], 0]);
    await page.close();
  });
});

/** Runs in the page: texts that are cut off or invisible. */
function clipped(): string[] {
  const told = (element: Element): string =>
    `${element.tagName.toLowerCase()}.${element.className}: ${(element.textContent ?? '').trim().slice(0, 60)}`;
  // Code, program output and tables of agents may be wider than the page.
  const mayScroll = (element: Element): boolean => element.closest('pre, table, .code, .terminal-output') !== null;
  const found: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const element of document.querySelectorAll(
    'button, label, summary, h1, h2, h3, .bar, .chip, [role="status"], [role="option"]',
  )) {
    const { left, right, width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    // Text for screen readers only is one pixel large.
    if (width <= 1 || height <= 1 || style.visibility === 'hidden' || style.opacity === '0') continue;
    if ((left < -1 || right > innerWidth + 1) && !mayScroll(element)) found.push(`out of sight: ${told(element)}`);
    // A label hides in favor of its icon, and the note of a recent session leaves its title the room: completely or not at all.
    if (element.matches('.turn-line, .recent .agent-choice')) continue;
    const hides = style.overflowX === 'hidden' || style.overflowX === 'clip';
    const isCut = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 3;
    if (hides && isCut && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none')
      found.push(`cut: ${told(element)}`);
  }
  return found;
}

/** Runs in the page: all visible and announced texts. */
function texts(): string[] {
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement?.closest('script, style, code, pre, .markdown, bdi')) continue;
    found.push((node.textContent ?? '').trim());
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [aria-description]')) {
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-description'])
      found.push(element.getAttribute(name) ?? '');
  }
  return found.filter((text) => text !== '');
}

/** Runs in the page: all texts that the host sent, in English. */
function textsOfHost(): string[] {
  const textsIn = (value: unknown): string[] => {
    if (typeof value === 'string') return [value.trim()];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
  };
  return (window as PageWindow<{ received: unknown[] }>).received.flatMap(textsIn);
}
