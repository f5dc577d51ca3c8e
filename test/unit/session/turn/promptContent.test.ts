import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toBlock } from '../../../../src/session/translate/translateContent';
import { fitToCapabilities, promptCapabilities, toPrompt } from '../../../../src/session/turn/promptContent';
import type { PromptCapabilities } from '../../../../src/shared/state/attachments';
import type { Block } from '../../../../src/shared/state/contentBlocks';

const all: PromptCapabilities = { image: true, audio: true, embeddedContext: true };
const none: PromptCapabilities = { image: false, audio: false, embeddedContext: false };
const image: Block = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const file: Block = { type: 'resource', uri: 'file:///w/src/a%20b.ts#L2-L3', text: 'x' };
const ofServer: Block = { type: 'resource', uri: 'demo://a', text: 'x', origin: { server: 'demo', uri: 'demo://a' } };
const own: Block = { type: 'resource', uri: 'parley:git-changes', text: 'diff', mimeType: 'text/plain' };

describe('session/turn/promptContent', () => {
  it('sends content that the agent supports, else a link to a file or the text of other content', () => {
    assert.deepEqual(fitToCapabilities([file, own, image], all, 'A'), [file, own, image]);
    assert.deepEqual(fitToCapabilities([file, own], none, 'A'), [
      { type: 'link', uri: 'file:///w/src/a%20b.ts#L2-L3', name: 'a b.ts#L2-L3' },
      { type: 'text', text: 'git-changes:\n\ndiff' },
    ]);
    assert.deepEqual(
      fitToCapabilities([ofServer], none, 'A'),
      [{ type: 'text', text: 'a:\n\nx' }],
      'an agent cannot open the URI of a server’s resource',
    );
    const picture: Block = { ...image, uri: 'demo://p', origin: { server: 'demo', uri: 'demo://p' } };
    assert.throws(() => fitToCapabilities([picture], none, 'A'), /does not support images/);
    assert.deepEqual(toPrompt('', [ofServer, picture]), [
      { type: 'resource', resource: { uri: 'demo://a', text: 'x' } },
      { ...image, uri: 'demo://p' },
    ]);
  });

  it('sends an image file as a link to an agent without image support', () => {
    const placed: Block = { ...image, uri: 'file:///w/a%20b.png' };
    assert.deepEqual(fitToCapabilities([placed], all, 'A'), [placed]);
    const link = { type: 'link', uri: 'file:///w/a%20b.png', name: 'a b.png', mimeType: 'image/png' };
    assert.deepEqual(fitToCapabilities([placed], none, 'A'), [link]);
  });

  it('rejects unsupported content by name, with a next step', () => {
    const refused = (block: Block) => () => fitToCapabilities([block], none, 'Cat');
    assert.throws(refused(image), {
      kind: 'badInput',
      message: 'Cat does not support images.',
      nextStep: /another agent/,
    });
    assert.throws(refused({ type: 'audio', data: '', mimeType: 'audio/wav' }), {
      message: 'Cat does not support audio.',
    });
    const blob: Block = { type: 'resource', uri: 'parley:a.zip', blob: 'AA', mimeType: 'application/zip' };
    assert.throws(refused(blob), { message: 'Cat does not support binary files.' });
  });

  it('puts the message first, in ACP content blocks, without empty text', () => {
    assert.deepEqual(toPrompt('hi', [file, { type: 'link', uri: 'file:///w', name: 'w', size: 3 }]), [
      { type: 'text', text: 'hi' },
      { type: 'resource', resource: { uri: 'file:///w/src/a%20b.ts#L2-L3', text: 'x' } },
      { type: 'resource_link', uri: 'file:///w', name: 'w', size: 3 },
    ]);
    assert.deepEqual(toPrompt(' ', [image]), [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]);
    assert.deepEqual(toPrompt('', []), [{ type: 'text', text: '' }]);
  });

  it('reads capabilities only from a running agent, and treats missing ones as unsupported', () => {
    assert.equal(promptCapabilities({ status: 'stopped' }), undefined);
    const info = {
      protocolVersion: 1,
      authMethods: [],
      capabilities: { promptCapabilities: { image: true, audio: 'yes' } },
    };
    assert.deepEqual(promptCapabilities({ status: 'ready', info }), {
      ...none,
      image: true,
    });
  });

  it('sends only supported blocks, which can be read back unchanged', () => {
    const text = fc.string();
    const block: fc.Arbitrary<Block> = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text }, { noNullPrototype: true }),
      fc.record(
        { type: fc.constant('image' as const), data: text, mimeType: fc.constant('image/png') },
        { noNullPrototype: true },
      ),
      fc.record(
        { type: fc.constant('audio' as const), data: text, mimeType: fc.constant('audio/wav') },
        { noNullPrototype: true },
      ),
      fc.record({ type: fc.constant('link' as const), uri: text, name: text }, { noNullPrototype: true }),
      fc.record({ type: fc.constant('resource' as const), uri: text, text }, { noNullPrototype: true }),
    );
    const abilities = fc.record({ image: fc.boolean(), audio: fc.boolean(), embeddedContext: fc.boolean() });
    fc.assert(
      fc.property(fc.array(block), abilities, (blocks, can) => {
        let sent: readonly Block[];
        try {
          sent = fitToCapabilities(blocks, can, 'A');
        } catch {
          assert.ok(blocks.some(({ type }) => (type === 'image' && !can.image) || (type === 'audio' && !can.audio)));
          return;
        }
        assert.equal(sent.length, blocks.length);
        assert.deepEqual(fitToCapabilities(sent, can, 'A'), sent);
        const wire = toPrompt('', sent);
        for (const { type } of wire) {
          assert.ok(
            type === 'text' ||
              type === 'resource_link' ||
              (type === 'resource' && can.embeddedContext) ||
              (type === 'image' && can.image) ||
              (type === 'audio' && can.audio),
          );
        }
        if (blocks.length > 0) assert.deepEqual(wire.map(toBlock), sent);
      }),
    );
  });
});
