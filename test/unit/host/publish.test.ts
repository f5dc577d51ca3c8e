import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from '../../kit/temporaryFolder';

const TOKEN = 'ovsxat_0123456789';

/** The publish script with a local registry that implements Open VSX's API. */
describe('publish:openvsx', () => {
  let folder: string;
  let server: Server;
  let received: { request: IncomingMessage; body: Buffer }[] = [];
  let answer: { status: number; body: string };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    received.push({ request, body: await buffer(request) });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  };

  before(async () => {
    folder = temporaryFolder();
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist/parley.vsix'), 'PK\u0003\u0004 an extension');
    server = createServer((request, response) => {
      void respond(request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });

  beforeEach(() => {
    received = [];
    answer = { status: 201, body: JSON.stringify({ namespace: 'parley', name: 'parley', version: '0.1.0' }) };
  });

  after(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await rm(folder, { recursive: true });
  });

  const registry = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publish = (url: string, token = TOKEN): Promise<{ code: number; text: string }> =>
    new Promise((resolve) => {
      const script = join(process.cwd(), 'test/host/publish.mjs');
      const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', OVSX_PAT: token } };
      execFile(process.execPath, [script, '--registry', url], options, (error, out, errors) => {
        resolve({ code: error ? 1 : 0, text: out + errors });
      });
    });

  it('sends the bytes of the VSIX with the token', async () => {
    const { code, text } = await publish(registry());
    assert.deepEqual([code, text], [0, `Published parley.parley 0.1.0 to ${registry()}\n`]);
    const [one] = received;
    assert.deepEqual(
      [one?.request.method, one?.request.url, one?.request.headers['content-type'], one?.body.toString()],
      ['POST', `/api/-/publish?token=${TOKEN}`, 'application/octet-stream', 'PK\u0003\u0004 an extension'],
    );
  });

  it('shows why the registry rejects the extension, and never the token', async () => {
    answer = { status: 400, body: JSON.stringify({ error: `Invalid access token ${TOKEN}` }) };
    const refused = await publish(registry());
    assert.deepEqual(
      [refused.code, refused.text],
      [1, `${registry()} refused the extension: Invalid access token …\n`],
    );
    answer = { status: 502, body: '<html>' };
    assert.match((await publish(registry())).text, /refused the extension: status 502\n$/);
    const nobody = await publish('http://127.0.0.1:1');
    assert.equal(nobody.code, 1);
    assert.match(nobody.text, /^Cannot reach http:\/\/127\.0\.0\.1:1: /);
    assert.ok(!nobody.text.includes(TOKEN));
  });

  it('sends nothing without a token or over plain http', async () => {
    assert.match((await publish(registry(), '')).text, /^Set OVSX_PAT/);
    assert.match((await publish('http://registry.example')).text, /must begin with https:/);
    assert.deepEqual(received, []);
  });
});
