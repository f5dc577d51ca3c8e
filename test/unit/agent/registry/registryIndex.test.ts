import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chooseDistribution, launchCommand, platformName } from '../../../../src/agent/registry/distribution';
import { parseAgent, parseIndex } from '../../../../src/agent/registry/registryIndex';
import { isNewerVersion } from '../../../../src/agent/registry/registryListing';

const entry = (distribution: unknown, fields: object = {}) => ({
  id: 'some-agent',
  name: 'Some Agent',
  version: '1.2.3',
  description: 'Does it',
  distribution,
  ...fields,
});
const npx = (fields: object) => parseAgent(entry({ npx: fields })).distribution.npx;
const uvx = (fields: object) => parseAgent(entry({ uvx: fields })).distribution.uvx;

describe('registry: the index', () => {
  it('may have unknown fields; invalid entries are skipped and reported', () => {
    const { agents, problems } = parseIndex({
      version: '9.0.0',
      later: true,
      extensions: [],
      agents: [
        entry(
          { npx: { package: '@a/b@1.2.3', args: ['--acp'], env: { A: '1' }, later: 1 } },
          { preview: { version: 'x' } },
        ),
        null,
        { id: '../up', version: '1' },
        entry({}, { id: 'no-version', version: '../1' }),
        entry({ npx: { package: 'x; rm' } }, { id: 'bad-package' }),
        entry(
          { binary: { 'linux-x86_64': { archive: 'https://x/y.zip', cmd: 'a', sha256: 'short' } } },
          { id: 'bad-sum' },
        ),
        entry({ npx: { package: 'again' } }),
        entry({ docker: { image: 'x' } }, { id: 'other-kind' }),
      ],
    });
    assert.deepEqual(
      agents.map(({ id }) => id),
      ['some-agent', 'other-kind'],
    );
    assert.deepEqual(agents[0]?.distribution.npx, { spec: '@a/b@1.2.3', args: ['--acp'], env: { A: '1' } });
    assert.deepEqual(problems, [
      'agent number 2: it is not an object',
      'agent ../up: "id" has an invalid value: "../up"',
      'agent no-version: "version" has an invalid value: "../1"',
      'agent bad-package: npx: "package" has an invalid value: "x; rm"',
      'agent bad-sum: binary for linux-x86_64: "sha256" is not 64 hexadecimal digits',
      'agent some-agent: its ID is used more than once',
    ]);
  });

  it('is rejected when it is not an index', () => {
    for (const value of [null, [], {}, { agents: {} }, 'text'])
      assert.throws(() => parseIndex(value), /the list "agents" is missing/);
  });

  it('never throws for any list of entries, and returns only ids and versions that are safe folder names', () => {
    const anyEntry = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { id: fc.string(), version: fc.string(), name: fc.jsonValue(), distribution: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.array(anyEntry), (agents) => {
        const parsed = parseIndex({ agents });
        assert.equal(parsed.agents.length + parsed.problems.length, agents.length);
        for (const { id, version } of parsed.agents)
          assert.match(`${id}/${version}`, /^[a-z][a-z0-9-]*\/[0-9A-Za-z][^/\\]*$/);
      }),
    );
  });

  it('pins packages to a version, because tags and ranges may resolve differently later', () => {
    assert.equal(npx({ package: '@a/b' })?.spec, '@a/b@1.2.3');
    assert.equal(npx({ package: 'b@latest' })?.spec, 'b@1.2.3');
    assert.equal(npx({ package: 'b@^1.0.0' })?.spec, 'b@1.2.3');
    assert.equal(npx({ package: 'b@2.0.0-rc.1' })?.spec, 'b@2.0.0-rc.1');
    assert.equal(uvx({ package: 'b' })?.spec, 'b@1.2.3');
    assert.equal(uvx({ package: 'b', cmd: 'run' })?.spec, 'b==1.2.3');
    assert.equal(uvx({ package: 'b==1.0' })?.spec, 'b==1.0');
  });

  it('rejects packages that are URLs, folders or command-line options', () => {
    for (const spec of [
      'https://x/y.tgz',
      'git+ssh://x',
      'file:../x',
      './x',
      '../x',
      '--call=sh',
      'a b',
      'a/b',
      'npm:x@1',
    ])
      assert.throws(() => npx({ package: spec }), /"package" has an invalid value/, spec);
    assert.throws(() => npx({ package: 'a', cmd: '-c' }), /"cmd" has an invalid value/);
    assert.throws(() => npx({ package: 'a', args: ['ok', 1] }), /"args" is not a list of strings/);
    assert.throws(() => npx({ package: 'a', env: { A: 1 } }), /"env" is not an object of strings/);
    assert.throws(() => uvx({ package: 'a @ https://x' }), /"package" has an invalid value/);
  });
});

describe('registry: the distribution of an agent', () => {
  const both = parseAgent(
    entry({
      npx: { package: 'p', args: ['--acp'] },
      uvx: { package: 'p', cmd: 'run', args: ['x'] },
      binary: { 'linux-x86_64': { archive: 'https://x/a.zip', cmd: 'a' } },
    }),
  );

  it('is a package if its runner is installed, else a binary, else the package', () => {
    const kind = (platform: string | undefined, ...there: string[]) =>
      chooseDistribution(both, platform, (program) => there.includes(program)).kind;
    assert.equal(kind('linux-x86_64', 'npx', 'uvx'), 'npx');
    assert.equal(kind('linux-x86_64', 'uvx'), 'uvx');
    assert.equal(kind('linux-x86_64'), 'binary');
    assert.equal(kind('darwin-aarch64'), 'npx');
  });

  it('gives a command line', () => {
    const line = (there: string) => {
      const choice = chooseDistribution(both, undefined, (program) => program === there);
      assert(choice.kind !== 'none');
      const { command, args } = launchCommand(choice, '/p');
      return [command, ...args].join(' ');
    };
    assert.equal(line('npx'), 'npx --yes p@1.2.3 --acp');
    assert.equal(line('uvx'), 'uvx --from p==1.2.3 run x');
    const withProgram = parseAgent(entry({ npx: { package: 'p@2.0.0', cmd: 'tool', args: ['a'] } }));
    const choice = chooseDistribution(withProgram, undefined, () => true);
    assert(choice.kind !== 'none');
    assert.deepEqual(launchCommand(choice, '').args, ['--yes', '--package', 'p@2.0.0', 'tool', 'a']);
  });

  it('is none, with a reason, if no distribution is supported', () => {
    const mac = parseAgent(entry({ binary: { 'darwin-aarch64': { archive: 'https://x/a.zip', cmd: 'a' } } }));
    assert.deepEqual(
      chooseDistribution(mac, 'linux-x86_64', () => true),
      {
        kind: 'none',
        reason: 'Some Agent 1.2.3 is available only for darwin-aarch64; this machine is linux-x86_64.',
      },
    );
    const other = chooseDistribution(parseAgent(entry({ docker: {} })), 'linux-x86_64', () => true);
    assert.match(other.kind === 'none' ? other.reason : '', /has no distribution that this version of Parley supports/);
  });

  it('uses the platform names of the registry', () => {
    assert.equal(platformName('win32', 'x64'), 'windows-x86_64');
    assert.equal(platformName('darwin', 'arm64'), 'darwin-aarch64');
    assert.equal(platformName('freebsd', 'x64'), undefined);
  });

  it('compares versions', () => {
    const older = ['1.0.0-beta.2', '1.0.0-beta.10', '1.0.0', '1.0.1', '1.10.0', '2.0', '2026.08.11'];
    for (const [index, version] of older.entries()) {
      for (const [other, second] of older.entries())
        assert.equal(isNewerVersion(second, version), other > index, `${second} ${version}`);
    }
    assert.equal(isNewerVersion('1.0', '1.0.0'), false);
  });
});
