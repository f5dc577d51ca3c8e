import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../../src/base/json';
import { asArray, asObject, asString } from '../../../src/base/json';
import { DemoFixture } from './fixture';

describe('demo agent: tour', function () {
  const demo = DemoFixture.use();

  it('shows every feature with real requests', async () => {
    const session = await demo.open();
    assert.equal(await demo.client.prompt(session, 'Hello, what can you do?'), 'end_turn');

    const text = demo.client.text(session);
    assert.match(text, /^[^.]*\bscript\b[^.]*no model, no key and no network\./, 'the first sentence');
    assert.match(demo.client.text(session, 'agent_thought_chunk'), /I have a script instead/);
    assert.deepEqual(demo.client.plans(session), ['ippp', 'cipp', 'ccip', 'ccci', 'cccc']);
    assert.deepEqual(
      demo.client.tools(session).map(({ kind, status }) => `${String(kind)} ${String(status)}`),
      ['read completed', 'edit completed', 'execute completed'],
    );
    assert.deepEqual(demo.client.calls(), [
      'fs/read_text_file',
      'fs/read_text_file',
      'session/request_permission',
      'fs/write_text_file',
      'terminal/create',
      'terminal/wait_for_exit',
      'terminal/output',
      'terminal/release',
    ]);
    assert.match(text, /`README\.md` begins with: “# Unsaved title”/, 'the text of the editor, not of the disk');
  });

  it('calls editor tools that the client declared', async () => {
    const calls: JsonObject[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { params } = (await json(request)) as { params: JsonObject };
      calls.push({ name: params['name'], arguments: params['arguments'], key: request.headers.authorization });
      const isError = params['name'] === 'outline';
      const content = [{ type: 'text', text: isError ? 'no symbols' : '2 problems:\na | b' }];
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content, isError } }));
    };
    const server = createServer((request, response) => void answer(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const headers = [{ name: 'Authorization', value: 'Bearer k' }];
      const mcpServers = ['problems', 'code'].map((name) => ({ type: 'http', name, url, headers }));
      await demo.client.initialize();
      const opened = asObject(await demo.client.request('session/new', { cwd: demo.folder, mcpServers }))!;
      const session = asString(opened['sessionId'])!;
      assert.equal(await demo.client.prompt(session, 'Hello'), 'end_turn');
      assert.deepEqual(calls, [
        { name: 'list', arguments: {}, key: 'Bearer k' },
        { name: 'outline', arguments: { path: 'README.md' }, key: 'Bearer k' },
      ]);
      const shown = demo.client.tools(session).map(({ title, status }) => `${String(title)} ${String(status)}`);
      assert.deepEqual(shown.slice(1, 3), ['problems__list completed', 'code__outline failed']);
      assert.match(demo.client.text(session), /answered: “2 problems:”[^]*did not work: no symbols[^]*exit code 0/);
      assert.equal(demo.client.plans(session)[0], 'ipppp');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('suggests the next message at its end', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, 'Hello');
    const update = demo.client.updates(session, 'session_info_update').at(-1)!;
    assert.deepEqual(update['_meta'], { promptSuggestions: { suggestions: [{ text: 'Show me only the plan' }] } });
  });

  it('reports that the client declared no editor tools', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, '/tools');
    assert.match(demo.client.text(session), /offers no `problems` and `code` tools/);
    assert.deepEqual(demo.client.tools(session), []);
  });

  it('closes with a heading, a list, a table, code and a link to the file', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, 'Hello');
    const text = demo.client.text(session);
    const closing = text.slice(text.indexOf('\n\n## What just happened'));
    assert.match(closing, /\n\n\| Step \| Protocol \| Result \|\n\| --- \| --- \| --- \|\n/);
    assert.match(closing, /\n- put one of the words /);
    assert.match(closing, /\n```json\n[^`]+\n```$/);
    assert.ok(closing.includes(`[parley-demo.md](${pathToFileURL(demo.demoFile).href})`));
    assert.match(closing, /created `parley-demo\.md`/);
    assert.match(closing, /exit code 0/);
  });

  it('writes exactly the text of the diff in the request, with a note that the file may be deleted', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, 'Hello');
    const { params } = await demo.client.untilMethod('session/request_permission');
    const call = asObject(params['toolCall'])!;
    const diff = asObject(asArray(call['content'])[0])!;
    assert.deepEqual([diff['type'], diff['path'], diff['oldText']], ['diff', demo.demoFile, null]);
    assert.equal(demo.editor.files.get(demo.demoFile), diff['newText']);
    assert.match(demo.editor.files.get(demo.demoFile)!, /may be deleted/);
    assert.deepEqual(
      asArray(params['options']).map((option) => asObject(option)!['kind']),
      ['allow_once', 'allow_always', 'reject_once'],
    );
  });

  it('appends to an existing file, and keeps its line endings', async () => {
    const before = '# Mine\r\n\r\nlast line without an end';
    demo.editor.files.set(demo.demoFile, before);
    const session = await demo.open();
    await demo.client.prompt(session, 'edit');
    const after = demo.editor.files.get(demo.demoFile)!;
    assert.ok(after.startsWith(`${before}\r\n- The demo agent was here`));
    assert.ok(after.endsWith('.\r\n'));
    assert.doesNotMatch(after, /[^\r]\n/);
  });

  it('runs a command that works without node on PATH, and shows its output in the card', async () => {
    const session = await demo.open();
    await demo.client.prompt(session, 'run');
    const { params } = await demo.client.untilMethod('terminal/create');
    assert.equal(params['command'], process.execPath);
    assert.deepEqual(params['env'], [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }]);
    assert.equal(params['cwd'], demo.folder);
    const [tool] = demo.client.tools(session);
    assert.deepEqual(tool!['content'], [{ type: 'terminal', terminalId: 'terminal 1' }]);
    assert.match(demo.editor.output('terminal 1'), /README\.md\n.*1.* entries, seen by Node v/);
    assert.match(demo.client.text(session), /ended with exit code 0 after 2 lines/);
  });

  it('shows the terminal while its command runs', async () => {
    const session = await demo.open();
    let embedded: unknown;
    const wait = demo.client.answers['terminal/wait_for_exit']!;
    demo.client.answers['terminal/wait_for_exit'] = (params, request) => {
      embedded = demo.client.tools(session)[0]!['content'];
      return wait(params, request);
    };
    await demo.client.prompt(session, 'run');
    assert.deepEqual(embedded, [{ type: 'terminal', terminalId: 'terminal 1' }]);
  });

  it('continues without writing if the change is rejected', async () => {
    const session = await demo.open();
    demo.editor.choice = 'reject';
    assert.equal(await demo.client.prompt(session, 'Hello'), 'end_turn');
    assert.ok(!demo.client.calls().includes('fs/write_text_file'));
    assert.equal(demo.editor.files.has(demo.demoFile), false);
    assert.match(demo.client.text(session), /You rejected the change, so nothing was written/);
    assert.doesNotMatch(demo.client.text(session), /\]\(file:/, 'no link to a file that is not there');
    assert.deepEqual(
      demo.client.tools(session).map(({ status }) => status),
      ['completed', 'failed', 'completed'],
    );
  });

  it('does not ask again in a chat with “always”, but does in others', async () => {
    const session = await demo.open();
    const other = await demo.client.newSession(demo.folder);
    demo.editor.choice = 'always';
    await demo.client.prompt(session, 'edit');
    await demo.client.prompt(session, 'edit');
    const asks = (): number => demo.client.calls().filter((call) => call === 'session/request_permission').length;
    assert.equal(asks(), 1);
    await demo.client.prompt(other, 'edit');
    assert.equal(asks(), 2);
    assert.equal(demo.editor.files.get(demo.demoFile)!.match(/was here/g)!.length, 3);
  });

  it('skips features that the client does not support, and lists them', async () => {
    const session = await demo.open({});
    assert.equal(await demo.client.prompt(session, 'Hello'), 'end_turn');
    assert.deepEqual(demo.client.calls(), []);
    for (const name of ['fs.readTextFile', 'fs.writeTextFile', 'terminal']) {
      assert.match(demo.client.text(session), new RegExp(`Left out: .* does not offer \`${name}\``));
    }
    assert.deepEqual(demo.client.plans(session), ['i', 'c']);
  });

  it('edits the file on disk if the client has no fs/read_text_file', async () => {
    await writeFile(demo.demoFile, '# On disk\n');
    const session = await demo.open({ fs: { writeTextFile: true } });
    await demo.client.prompt(session, 'edit');
    assert.deepEqual(demo.client.calls(), ['session/request_permission', 'fs/write_text_file']);
    assert.ok(demo.editor.files.get(demo.demoFile)!.startsWith('# On disk\n- '));
  });

  it('shows a failed request, and continues', async () => {
    const session = await demo.open();
    demo.editor.files.delete(join(demo.folder, 'README.md'));
    demo.client.answers['terminal/create'] = () => {
      throw Object.assign(new Error('no terminals today'), { code: -32603 });
    };
    assert.equal(await demo.client.prompt(session, 'Hello'), 'end_turn');
    assert.deepEqual(
      demo.client.tools(session).map(({ status }) => status),
      ['failed', 'completed', 'failed'],
    );
    assert.match(demo.client.text(session), /That did not work: No such file: .*README\.md/);
    assert.match(demo.client.text(session), /That did not work: no terminals today/);
  });

  it('reads a file of a subfolder, but no hidden file, and reports an empty folder', async () => {
    await rm(join(demo.folder, 'README.md'));
    await mkdir(join(demo.folder, '.private'));
    await writeFile(join(demo.folder, '.private', 'secret.txt'), 'secret');
    const session = await demo.open();
    await demo.client.prompt(session, 'read');
    assert.match(demo.client.text(session), /nothing to read/);
    await mkdir(join(demo.folder, 'src'));
    const inside = join(demo.folder, 'src', 'index.ts');
    await writeFile(inside, 'export {};\n');
    demo.editor.files.set(inside, 'export {};\n');
    await demo.client.prompt(session, 'read');
    assert.match(demo.client.text(session), /`index\.ts` begins with: “export \{\};”/);
  });
});
