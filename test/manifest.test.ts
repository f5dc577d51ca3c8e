import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { protections } from '../src/base/settings';
import { scopedSettings } from '../src/session/settings/scopedSettings';

/** Settings that could harm a user who opens a repository: where they may be set, and whether an untrusted workspace may set them. */

interface Schema {
  readonly scope?: string;
  readonly order?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

const { contributes, capabilities } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: {
    configuration: { title: string; properties: Record<string, Schema> }[];
    menus: Record<string, { command?: string; when?: string; group?: string }[]>;
  };
  capabilities: { untrustedWorkspaces: { supported: unknown; restrictedConfigurations: string[] } };
};
const properties: Record<string, Schema> = Object.assign({}, ...contributes.configuration.map((one) => one.properties));
const restricted = new Set(capabilities.untrustedWorkspaces.restrictedConfigurations);

/** Names what is run or reached: a command, an argument, a variable, a URL, a header. */
const RUNS = /^parley\.(?:agents|defaultAgent|mcpServers|registry\..+|a2a\..+|worktrees\.setup)$/;
/** Controls what is allowed or available. */
const DECIDES = /^parley\.(?:permissions\.rules|tools\..+|mcp\..+|worktrees\.(?:include|link))$/;
/** VS Code takes it from user settings only. */
const OWN = 'parley.presets';
/** Protects the user or records what happens: a workspace can only strengthen it. */
const PROTECTS = new Set(Object.keys(protections).map((key) => `parley.${key}`));
/**
 * Changes only what is shown or stored. Add each new setting to one of the five lists; consider what a hostile repository could
 * do with it.
 */
const SHOWS = new Set(
  [
    'terminal.outputLimit',
    'follow',
    'checkpoints.maxAgeDays',
    'checkpoints.maxSizeMB',
    'transcripts.maxAgeDays',
    'transcripts.maxSizeMB',
    'suggestions',
    'thoughts',
    'sound',
    'keepAwake',
    'sendKey',
    'budget',
    'codeLens',
  ].map((key) => `parley.${key}`),
);

const DANGEROUS_FIELDS = new Set(['command', 'args', 'env', 'cwd', 'url', 'headers']);

function fieldsOf(schema: Schema): string[] {
  const { properties: fields = {}, additionalProperties: more, items } = schema;
  const deeper = [...Object.values(fields), ...(typeof more === 'object' ? [more] : []), ...(items ? [items] : [])];
  return [...Object.keys(fields), ...deeper.flatMap(fieldsOf)];
}

describe('package.json: settings and trust', () => {
  it('classifies the risk of every setting', () => {
    const unknown = Object.keys(properties).filter((key) => {
      return (
        [RUNS.test(key), DECIDES.test(key), key === OWN, PROTECTS.has(key), SHOWS.has(key)].filter(Boolean).length !== 1
      );
    });
    assert.deepEqual(unknown, []);
  });

  it('ignores settings of an untrusted workspace that can run, contact or allow something', () => {
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    for (const [key, { scope }] of Object.entries(properties)) {
      const expected = key === OWN ? 'application' : RUNS.test(key) ? 'machine-overridable' : 'resource';
      if (SHOWS.has(key) || PROTECTS.has(key)) continue;
      assert.deepEqual([scope, restricted.has(key)], [expected, true], key);
    }
  });

  it('groups the settings in sections, in an order of their own', () => {
    assert.deepEqual(
      contributes.configuration.map(({ title }) => title),
      ['agents', 'chat', 'permissions', 'review', 'tools', 'storage'].map((name) => `%settings.${name}%`),
    );
    for (const { properties: own } of contributes.configuration)
      assert.deepEqual(
        Object.values(own).map(({ order }) => order),
        Object.keys(own).map((_, at) => at + 1),
      );
  });

  it('groups the menu of a session, with Rename first', () => {
    const items = contributes.menus['view/item/context']?.filter(({ group }) => !group?.startsWith('inline')) ?? [];
    const groups = items.map(({ group = '' }) => group);
    assert.deepEqual(groups, groups.toSorted());
    assert.equal(items[0]?.command, 'parley.renameSession');
    assert.equal(items.at(-1)?.command, 'parley.deleteSession');
  });

  it('restricts only settings that exist', () => {
    assert.deepEqual(
      [...restricted].filter((key) => !(key in properties)),
      [],
    );
  });

  it('has no command, variable or URL in a setting that only affects the display', () => {
    const wrong = Object.entries(properties).flatMap(([key, schema]) => {
      return SHOWS.has(key) ? fieldsOf(schema).filter((field) => DANGEROUS_FIELDS.has(field)) : [];
    });
    assert.deepEqual(wrong, []);
    const agents = fieldsOf(properties['parley.agents'] ?? {});
    for (const field of DANGEROUS_FIELDS) assert.ok(agents.includes(field), field);
  });

  it('reads merged values of other settings only for the display', () => {
    const files = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name));
    const found = files.flatMap((file) => {
      const uses = readFileSync(file, 'utf8').matchAll(/getConfiguration\(\s*'?([\w.]*)[^)]*\)\s*(\.\w+)?/g);
      return Array.from(uses, ([, section = '', method = '']) => ({ file: basename(file), section, method }));
    });
    const isHarmless = ({ file, section, method }: (typeof found)[number]): boolean =>
      /^(?:workbench|editor|diffEditor|files|search|scm)\b/.test(section) ||
      method === '.inspect' ||
      // Shows what `${config:…}` gives a task, which is the merged value.
      file === 'variableDefinitions.ts' ||
      // Selects one of the themes.
      (section === 'window' && file === 'syntaxTheme.ts') ||
      // Shows what VS Code puts into a task.
      file === 'variableDefinitions.ts' ||
      (section === 'parley' && ['configuration.ts', 'createFollow.ts', 'askAgentLenses.ts'].includes(file));
    assert.ok(found.length >= 3);
    assert.deepEqual(
      found.filter((use) => !isHarmless(use)),
      [],
    );
  });

  it('does not let a workspace change retention limits, which delete transcripts', () => {
    for (const key of ['checkpoints', 'transcripts'].flatMap((kind) => [`${kind}.maxAgeDays`, `${kind}.maxSizeMB`]))
      assert.equal(properties[`parley.${key}`]?.scope, 'machine', key);
  });

  it('reads listed settings per scope', () => {
    const single = new Set(['parley.defaultAgent', 'parley.registry.url']);
    const wanted = Object.keys(properties).filter((key) => !SHOWS.has(key) && !PROTECTS.has(key) && !single.has(key));
    const read = Object.keys(scopedSettings).map((key) => `parley.${key}`);
    assert.deepEqual(
      wanted.filter((key) => !read.includes(key)),
      [],
    );
  });
});

describe('package.json: menus', () => {
  it('includes the settings behind the "…" menu of the chat view', () => {
    const item = contributes.menus['view/title']?.find(({ command }) => command === 'parley.openSettings');
    assert.equal(item?.when, 'view == parley.chat');
    assert.doesNotMatch(item.group ?? '', /^navigation/);
  });

  it('fits the "…" menu of the chat view into a window of 600 px', () => {
    const rows = contributes.menus['view/title']?.filter(({ when }) => when?.startsWith('view == parley.chat')) ?? [];
    const behind = rows.filter(({ group }) => !group?.startsWith('navigation'));
    assert.ok(behind.length <= 17, `${behind.length} rows`);
  });
});
