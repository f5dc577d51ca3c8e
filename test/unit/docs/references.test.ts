import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
  };
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const found = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, first = '']) => first);

/** The anchor that GitHub generates for a heading. */
function anchorsOf(text: string): string[] {
  return found(text, /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('documents', () => {
  const { scripts, contributes } = readJson('package.json') as Manifest;
  const sentences = readJson('package.nls.json') as Readonly<Record<string, string>>;
  const titles = new Set(contributes.commands.map(({ title }) => sentences[title.slice(1, -1)]));
  const ids = new Set(contributes.commands.map(({ command }) => command));
  const settings = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  const isSetting = (name: string): boolean => settings.some((key) => key === name || key.startsWith(`${name}.`));
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ];

  for (const page of pages) {
    const text = readFileSync(page, 'utf8');

    it(`${page} names only commands, settings and scripts that exist`, () => {
      const commands = found(text, /\*Parley: ([^*\n]+)\*/g).filter((name) => !titles.has(name));
      // `parley.request` and the like are the API for other extensions.
      const names = page === 'docs/api.md' ? [] : found(text, /`(parley\.[a-z][\w.]*)`/g);
      const unknown = names.filter((name) => !isSetting(name) && !ids.has(name) && !name.endsWith('.json'));
      const run = found(text, /\bnpm run ([a-z][\w:]*)/g).filter((name) => scripts[name] === undefined);
      // `npm run build` and `npm run deploy` are examples of commands in docs/permissions.md.
      assert.deepEqual([commands, unknown, page === 'docs/permissions.md' ? [] : run], [[], [], []]);
    });

    it(`${page} has only links and anchors with existing targets`, () => {
      for (const link of found(text, /\]\(([^)\s]+)\)/g)) {
        if (/^\w+:/.test(link)) continue;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        assert.ok(existsSync(target), `${link}: no ${target}`);
        if (anchor !== undefined) assert.ok(anchorsOf(readFileSync(target, 'utf8')).includes(anchor), link);
      }
    });
  }
});
