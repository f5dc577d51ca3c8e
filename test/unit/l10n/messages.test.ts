import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { formatFixed, locale, t, setTranslations } from '../../../src/base/l10n';
import type * as l10nModule from '../../host/l10n.mjs';
import type * as messagesModule from '../../host/messages.mjs';

type Messages = typeof messagesModule;
type L10n = typeof l10nModule;

/** The modules of the command: they find the repository by their own location. */
const load = <T>(name: string): Promise<T> =>
  import(pathToFileURL(join(process.cwd(), 'test/host', name)).href) as Promise<T>;

describe('translations', () => {
  let messages: Messages;
  let l10n: L10n;
  const read = (text: string, path = 'src/ui/some.tsx'): { messages: [string, number][]; problems: string[] } => {
    const found = { messages: new Map<string, number>(), problems: [] as string[] };
    messages.readFile(path, text, found);
    return { messages: [...found.messages], problems: found.problems };
  };
  const imported = "import { t } from '../base/l10n';\n";

  before(async () => {
    messages = await load<Messages>('messages.mjs');
    l10n = await load<L10n>('l10n.mjs');
  });

  afterEach(() => setTranslations(undefined));

  it('contain every text of the source', () => {
    assert.deepEqual(l10n.problems(), []);
    assert.ok(Object.keys(l10n.bundle()).length > 1_000);
    assert.deepEqual([...new Set(l10n.translations().map(({ language }) => language))].sort(), ['de', 'zh-cn']);
  });

  it('have one word for one thing: names of commands, agents, and files that are left and not kept', async () => {
    const NAMES = ['Restore Checkpoint', 'Undo All', 'Keep All', 'Finish Restore', 'Undo Restore'];
    for (const language of ['de', 'zh-cn']) {
      const bundle = JSON.parse(await readFile(`l10n/bundle.l10n.${language}.json`, 'utf8')) as Record<string, string>;
      const wrong = Object.entries(bundle).filter(
        ([text, translated]) =>
          NAMES.some((name) => text.includes(`${name} `) && !translated.includes(bundle[name] ?? name)) ||
          (translated.includes('代理') && !text.includes('proxy')),
      );
      assert.deepEqual(wrong, []);
      assert.ok(!bundle['Leave These Files']?.startsWith(bundle['Keep'] ?? ''));
    }
  });

  it('are collected from calls of t with their number of arguments', () => {
    const { messages: found, problems } = read(`${imported}t('One'); t("It's {0} of {1}", a, b); <p>{t('Two')}</p>;`);
    assert.deepEqual(
      [found, problems],
      [
        [
          ['One', 0],
          ["It's {0} of {1}", 2],
          ['Two', 0],
        ],
        [],
      ],
    );
    assert.deepEqual(read("import { t } from './time';\nt('Not one');").messages, []);
  });

  it('report a text that is not a literal, has gaps, or is not a whole sentence', () => {
    const wrong = ['t(word)', 't(`One ${two}`)', "t('{1}', a)", "t('{0}', a, b)", "t(' half')"];
    for (const call of wrong) assert.equal(read(`${imported}${call};`).problems.length, 1, call);
    assert.match(read(`${imported}t(word);`).problems[0] ?? '', /^src\/ui\/some\.tsx:2: /);
  });

  it('report text that is shown untranslated', () => {
    const shown = [
      '<p>Hello</p>',
      '<p>{"Hello"}</p>',
      "<p>{on ? 'Hello' : t('No')}</p>",
      '<p>{on && `Hello ${you}`}</p>',
      '<button aria-label="Hello" />',
      "<button title={on ? 'Hello' : 'Bye'} />".replace("'Bye'", 'undefined'),
      "vscode.window.showInformationMessage('Hello')",
      "new ParleyError('notFound', 'Hello')",
      "({ nextStep: 'Hello' })",
    ];
    for (const text of shown) assert.deepEqual(read(`${imported}(${text});`).problems.length, 1, text);
  });

  it('ignore texts that are not messages: classes, roles, signs, names, texts for agents', () => {
    const silent = [
      '<p class="hello" role="note">…</p>',
      '<h2>Parley</h2>',
      "<i class={on ? 'spin' : ''}>·</i>",
      '<p>{text}</p>',
    ];
    for (const text of silent) assert.deepEqual(read(`${imported}(${text});`).problems, [], text);
    const toAgent = "new ParleyError('notFound', 'Hello');";
    assert.deepEqual(read(toAgent, 'src/client/fs/diskFiles.ts').problems, []);
  });

  it('have the placeholders, settings and entries of the English texts', () => {
    const said = { a: 'Take {0} of {1}', b: 'See `#parley.follow#`' };
    assert.deepEqual(l10n.translationProblems({ a: '{1}: {0}', b: '`#parley.follow#`' }, said), []);
    const wrong: Record<string, string>[] = [
      { a: 'Take {0}', b: said.b },
      { a: said.a, b: 'See `#parley.folgen#`' },
      { a: said.a, b: '' },
      { a: said.a },
      { ...said, c: 'More' },
    ];
    for (const table of wrong) assert.equal(l10n.translationProblems(table, said).length, 1, JSON.stringify(table));
  });

  it('keep placeholders, settings and icons in the pseudo-translation, which is at least 40 % longer', () => {
    assert.match(l10n.pseudo('$(eye) Show {0}'), /^\$\(eye\) \[Śĥóŵ \{0\}~+\]$/);
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z ,.{}0-3]{1,60}$/), (message) => {
        const made = l10n.pseudo(message);
        assert.deepEqual(messages.placeholders(made), messages.placeholders(message));
        assert.ok(made.length >= message.replaceAll(/\{\d+\}/g, '').length * 1.4);
      }),
    );
  });

  it('format numbers as in the language, with the given digits', () => {
    setTranslations({}, 'de');
    assert.deepEqual([formatFixed(2.25, 1), formatFixed(3, 2)], ['2,3', '3,00']);
    setTranslations({}, 'zh-cn');
    assert.equal(formatFixed(1.5, 1), '1.5');
  });

  it('are used for known messages with their placeholders; other messages stay English', () => {
    setTranslations({ 'Take {0} of {1}': 'Von {1} nimm {0}' }, 'de');
    assert.equal(t('Take {0} of {1}', 2, 3), 'Von 3 nimm 2');
    assert.equal(t('Stop'), 'Stop');
    assert.equal(t('constructor'), 'constructor');
    assert.equal((1234.5).toLocaleString(locale()), '1.234,5');
  });

  it('in English have English numbers and months, in the format of an English system', () => {
    const own = Intl.NumberFormat;
    const localeOn = (system: string, tag?: string): string => {
      const ofSystem = class extends own {
        constructor() {
          super(system);
        }
      };
      Object.assign(Intl, { NumberFormat: ofSystem });
      setTranslations(undefined, tag);
      return locale();
    };
    try {
      assert.deepEqual(
        ['de-DE', 'tr-TR', 'en-GB'].map((system) => localeOn(system)),
        ['en', 'en', 'en-GB'],
      );
      assert.equal(localeOn('de-DE', 'no such language'), 'en');
    } finally {
      Object.assign(Intl, { NumberFormat: own });
    }
  });
});
