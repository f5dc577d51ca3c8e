import assert from 'node:assert/strict';
import type { ToolFilterSettings } from '../../../../src/mcp/availability/toolFilterSettings';
import type { AccessRequest } from '../../../../src/mcp/calls/callGate';
import { matchesTemplate, toPromptContent, toResourceBlocks } from '../../../../src/mcp/panel/contentToBlocks';
import { WindowServerContent } from '../../../../src/mcp/panel/windowServerContent';
import { findServerPrompt } from '../../../../src/session/serverContent';
import { stubOf } from '../../../kit/stubOf';
import { define, SessionsBench } from '../userServers/sessionsBench';
import { HandServer, realServer } from '../userServers/testServers';

/** Prompts and resources of user servers in the message box. */
describe('mcp: prompts and resources for the user', () => {
  let bench: SessionsBench;
  let content: WindowServerContent;
  let requests: AccessRequest[];

  beforeEach(() => {
    bench = new SessionsBench();
    requests = [];
    bench.gate.access = (request, run) => {
      requests.push(request);
      return run();
    };
    const rules = stubOf<ToolFilterSettings>({ rulesOf: () => bench.rules });
    content = new WindowServerContent(bench.servers, bench.gate, rules, bench.loaded);
  });
  afterEach(() => bench.dispose());

  it('are there when somebody asks for them, also of a server that the agent starts itself', async () => {
    bench.define(define('my real', realServer()));
    const [declared] = await bench.declare();
    assert.equal(declared?.['command'], process.execPath, 'the agent starts it');
    assert.deepEqual(content.prompts(bench.session), []);
    await content.list(bench.session);
    const found = findServerPrompt('/my-real:greet who="the world"', content.prompts(bench.session), []);
    assert.deepEqual(found?.values, { who: 'the world' });
    assert.deepEqual(found?.prompt.arguments, [{ name: 'who', required: true }]);
    assert.deepEqual(await found?.prompt.get(found.values), { text: 'Hello the world', blocks: [] });
    const [note] = content.resources(bench.session);
    assert.deepEqual([note?.server, note?.uri, note?.title], ['my real', 'note://one', 'Note']);
    assert.deepEqual(await content.read(bench.session, 'my real', 'note://one'), [
      { type: 'resource', uri: 'note://one', text: 'a note' },
    ]);
    assert.deepEqual(
      requests.map(({ subject, isOfUser }) => [subject, isOfUser]),
      [
        ['prompt:greet', true],
        ['resource:note://one', true],
      ],
      'each is decided by rules and recorded',
    );
    await assert.rejects(content.read(bench.session, 'my real', 'note://other'), /does not offer note:\/\/other/);
  });

  it('are not there in a session that may not use the server', async () => {
    bench.define(define('real', realServer()));
    await content.list(bench.session);
    assert.equal(content.prompts(bench.session).length, 1);
    bench.rules = { ...bench.rules, isOn: () => false };
    assert.deepEqual([content.prompts(bench.session), content.resources(bench.session)], [[], []]);
    await assert.rejects(content.read(bench.session, 'real', 'note://one'), /not enabled/);
  });

  it('leave a text alone that begins with a command of the agent', async () => {
    bench.define(define('real', realServer()));
    await content.list(bench.session);
    const prompts = content.prompts(bench.session);
    const commands = [{ name: 'real:greet', description: 'the agent’s own' }];
    assert.equal(findServerPrompt('/real:greet you', prompts, commands), undefined);
    assert.equal(findServerPrompt('/user:real:greet you', prompts, commands)?.values['who'], 'you');
  });

  it('have suggestions of the server for arguments and for the variables of templates', async () => {
    const hand = new HandServer();
    Object.assign(hand.answers, {
      initialize: ({ protocolVersion }: { protocolVersion: string }) => ({
        protocolVersion,
        capabilities: { prompts: {}, resources: {}, completions: {} },
        serverInfo: { name: 'hand', version: '1' },
      }),
      'prompts/list': () => ({ prompts: [{ name: 'trip', arguments: [{ name: 'city' }] }] }),
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'db://{table}/{+row}', name: 'row' }] }),
      'completion/complete': ({ ref, argument, context }: Record<string, unknown>) => ({
        completion: { values: [JSON.stringify({ ref, argument, context })] },
      }),
    });
    bench.define(define('hand', { type: 'http', url: await hand.open(), headers: {} }));
    await content.list(bench.session);
    const [prompt] = content.prompts(bench.session);
    const [template] = content.resources(bench.session);
    assert.deepEqual(
      template?.arguments.map(({ name }) => name),
      ['table', 'row'],
    );
    const [forPrompt = ''] = (await prompt?.complete('city', 'Ber', { land: 'no' })) ?? [];
    const [forTemplate = ''] = (await template?.complete('row', '', { table: 'a' })) ?? [];
    assert.deepEqual(JSON.parse(forPrompt), {
      ref: { type: 'ref/prompt', name: 'trip' },
      argument: { name: 'city', value: 'Ber' },
      context: { arguments: { land: 'no' } },
    });
    assert.deepEqual(JSON.parse(forTemplate), {
      ref: { type: 'ref/resource', uri: 'db://{table}/{+row}' },
      argument: { name: 'row', value: '' },
      context: { arguments: { table: 'a' } },
    });
    hand.close();
  });

  it('become the blocks of a message', () => {
    const text = (value: string): object => ({ type: 'text', text: value });
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    assert.deepEqual(
      toPromptContent({
        messages: [
          { role: 'user', content: text('Look') },
          { role: 'user', content: image },
          { role: 'assistant', content: text('I see') },
        ],
      }),
      { text: 'User: Look\n\nAssistant: I see', blocks: [image] },
    );
    const contents = [
      { uri: 'x://a', mimeType: 'image/png', blob: 'AA==' },
      { uri: 'x://b', blob: 'AA==' },
      { uri: 'x://c', mimeType: 'text/csv', text: 'a,b' },
    ];
    assert.deepEqual(toResourceBlocks(contents, 'x://a'), [
      { type: 'image', uri: 'x://a', mimeType: 'image/png', data: 'AA==' },
      { type: 'resource', uri: 'x://b', blob: 'AA==' },
      { type: 'resource', uri: 'x://c', mimeType: 'text/csv', text: 'a,b' },
    ]);
    assert.ok(matchesTemplate('db://{table}/{+row}', 'db://a/b/c') && !matchesTemplate('db://{table}', 'x://a'));
  });
});
