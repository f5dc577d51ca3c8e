import assert from 'node:assert/strict';
import type { Attachment } from '../../../../../src/shared/state/attachments';
import {
  mentionAt,
  mentionWord,
  mentionedStill,
  removeMention,
  splitAtMentions,
} from '../../../../../src/webview/chat/composer/mentionText';
import { isNewer, readDraft, storeDraft } from '../../../../../src/webview/page/draftMemory';

const file = (label: string): Attachment => ({ kind: 'file', uri: `file:///w/${label}`, label });

describe('webview/chat/composer/mentionText', () => {
  it('finds the mention at the caret, but none in an email address', () => {
    assert.deepEqual(mentionAt('see @src/a', 10), { start: 4, end: 10, query: 'src/a' });
    assert.deepEqual(mentionAt('(@', 2), { start: 1, end: 2, query: '' });
    assert.deepEqual(mentionAt('@日本', 3), { start: 0, end: 3, query: '日本' });
    assert.equal(mentionAt('me@example.org', 14), undefined);
    assert.equal(mentionAt('@a b', 4), undefined);
    assert.equal(mentionAt('@a', -1), undefined);
    assert.deepEqual(mentionAt('see @"my not', 12), { start: 4, end: 12, query: 'my not' });
    assert.equal(mentionAt('@"my notes.md" ', 15), undefined);
    assert.equal(mentionAt('@"my notes.md"', 14), undefined);
    assert.equal(mentionAt(`@${'a'.repeat(300)}`, 301), undefined);
  });

  it('inserts a word only for a readable name, one with blanks in quotes', () => {
    assert.equal(mentionWord({ kind: 'file', uri: 'u', label: 'src/app.ts' }), '@app.ts');
    assert.equal(mentionWord({ kind: 'session', id: 'i', label: 'Read a/b first' }), '@"Read a/b first"');
    assert.equal(mentionWord(file('docs/résumé – draft (1).md')), '@"résumé – draft (1).md"');
    assert.equal(mentionWord(file('say "hi".md')), '');
    assert.equal(mentionWord(file(`${'long '.repeat(20)}.md`)), '');
    assert.equal(mentionWord({ kind: 'file', uri: 'u', label: 'a\u202Eb' }), '');
  });

  it('removes the word of a removed attachment, and nothing similar', () => {
    const app = file('src/app.ts');
    const without = (text: string): string => removeMention(text, app, [app]);
    assert.equal(without('see @app.ts please'), 'see please');
    assert.equal(without('@app.ts, this'), ', this');
    assert.equal(without('see @app.tsx'), 'see @app.tsx');
    assert.equal(without('see @app.tsx and @app.ts'), 'see @app.tsx and ');
    assert.equal(without('me@app.ts'), 'me@app.ts');
    assert.equal(without('other'), 'other');
    const other = file('lib/app.ts');
    assert.equal(removeMention('@app.ts or @app.ts?', other, [app, other]), '@app.ts or ?');
  });

  it('finds the mentions in a text, also of names that are parts of others', () => {
    const attached = [file('my notes.md'), file('a.ts'), file('lib/a.ts'), file('a.tsx')];
    assert.deepEqual(splitAtMentions('See @"my notes.md", @a.ts and @a.tsx, not @b.ts', attached), [
      'See ',
      '@"my notes.md"',
      ', ',
      '@a.ts',
      ' and ',
      '@a.tsx',
      ', not @b.ts',
    ]);
    assert.deepEqual(splitAtMentions('none', []), ['none']);
    const text = 'see @"my notes.md" please';
    assert.equal(removeMention(text, attached[0]!, attached), 'see please');
    assert.deepEqual(mentionedStill(attached.slice(0, 1), text, 'see @"my notes.md please', 17), []);
  });

  it('removes one of two attachments with the same name together with its word', () => {
    const [app, other, notes] = [file('src/app.ts'), file('lib/app.ts'), file('notes.md')];
    const all = [app, notes, other];
    const before = '@app.ts or @app.ts @notes.md';
    const left = (after: string, caret: number, attached = all): readonly Attachment[] =>
      mentionedStill(attached, before, after, caret);
    assert.deepEqual(left('or @app.ts @notes.md', 0), [notes, other]);
    assert.deepEqual(left('@app.ts or @notes.md', 11), [app, notes]);
    assert.deepEqual(left('@app.tsx or @app.ts @notes.md', 8), [notes, other]);
    // One letter of a word is enough.
    assert.deepEqual(left('@app.t or @app.ts @notes.md', 6), [notes, other]);
    assert.deepEqual(left('', 0), []);
    assert.equal(left('@app.ts or @app.ts @notes.md!', 29), all);
    // The caret decides where the texts alone are ambiguous.
    assert.deepEqual(mentionedStill([app, other], '@app.ts @app.ts', '@app.ts', 0), [other]);
    assert.deepEqual(mentionedStill([app, other], '@app.ts @app.ts ', '@app.ts ', 8), [app]);
    // An attachment that is mentioned twice stays until both mentions are deleted.
    assert.deepEqual(mentionedStill([app], '@app.ts @app.ts', '@app.ts', 7), [app]);
    assert.deepEqual(mentionedStill([app], '@app.ts', '', 0), []);
    // Attached without a mention.
    assert.deepEqual(mentionedStill([app, other], '@app.ts', '', 0), [other]);
  });
});

describe('webview/page/draftMemory', () => {
  const memory = { drafts: {}, editor: 'on' } as const;
  const data = (label: string, size: number) =>
    ({ kind: 'data', label, mimeType: 'image/png', data: 'A'.repeat(size) }) as const;

  it('reads drafts of the previous version, which contained only text, and rejects others', () => {
    assert.deepEqual(readDraft('text'), { text: 'text', attached: [] });
    for (const wrong of [undefined, 1, { text: 1, attached: [] }, { text: '' }])
      assert.equal(readDraft(wrong), undefined);
  });

  it('stores images up to a limit, and always text and references', () => {
    const file = { kind: 'file', uri: 'u', label: 'a' } as const;
    const draft = { text: 'hi', attached: [data('small', 10), data('large', 4_000_000), file] };
    assert.deepEqual(storeDraft(memory, 's', draft).drafts['s'], { text: 'hi', attached: [data('small', 10), file] });
  });

  it('removes the oldest drafts, and keeps an empty one, which overrides an older one', () => {
    let many: Parameters<typeof storeDraft>[0] = memory;
    for (let n = 0; n < 25; n++) many = storeDraft(many, `s${n}`, { text: `${n}`, attached: [] });
    assert.equal(Object.keys(many.drafts).length, 20);
    assert.equal(many.drafts['s4'], undefined);
    const cleared = storeDraft(many, 's24', { text: '', attached: [], at: 7 });
    assert.equal(isNewer(cleared, { session: 's24', text: 'old', attached: [], at: 6 }), false);
    assert.equal(isNewer(cleared, { session: 's24', text: 'new', attached: [], at: 8 }), true);
    assert.equal(isNewer(cleared, { session: 'never written in', text: 'x', attached: [], at: 1 }), true);
  });
});
