import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { STEPS } from '../../../../src/ui/editorActions/walkthroughSteps';

interface WalkthroughStep {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly media: { readonly svg: string; readonly altText: string };
  readonly completionEvents: readonly string[];
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: {
    commands: { command: string }[];
    walkthroughs: { id: string; title: string; description: string; steps: WalkthroughStep[] }[];
  };
};
const words = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
const [walkthrough] = contributes.walkthroughs;
const commands = new Set(contributes.commands.map(({ command }) => command));

function text(key: string): string {
  return words[key.replaceAll('%', '')] ?? '';
}

describe('the walkthrough', () => {
  it('covers an agent, a request, a permission, a review, a race and the tools, each with a text', () => {
    assert.equal(walkthrough?.id, 'start');
    assert.deepEqual(
      walkthrough.steps.map(({ id }) => id),
      ['agent', 'ask', 'approve', 'review', 'race', 'tools'],
    );
    for (const { title, description, media } of walkthrough.steps) {
      for (const key of [title, description, media.altText]) assert.ok(text(key).length > 2, key);
    }
  });

  it('links to existing commands, and is completed by recorded steps', () => {
    for (const { id, description, completionEvents } of walkthrough?.steps ?? []) {
      const links = Array.from(text(description).matchAll(/\(command:([\w.]+)\)/g), ([, command]) => command ?? '');
      assert.ok(links.length > 0, id);
      for (const link of links) assert.ok(commands.has(link), link);
      for (const event of completionEvents) {
        const [, kind, name = ''] = /^on(Context|Command):(.+)$/.exec(event) ?? [];
        const isKnown = kind === 'Command' ? commands.has(name) : STEPS.some((step) => name === `parley.done.${step}`);
        assert.ok(isKnown, event);
      }
    }
  });

  it('has images in theme colors, small enough for the package', () => {
    const pictures = (walkthrough?.steps ?? []).map(({ media }) => readFileSync(media.svg, 'utf8'));
    const bytes = pictures.reduce((sum, picture) => sum + Buffer.byteLength(picture), 0);
    assert.equal(new Set(pictures).size, pictures.length, 'each step has a picture of its own');
    assert.ok(bytes <= 70_000, `${bytes} bytes; draw them anew by: npm run pictures walkthrough`);
    for (const picture of pictures) {
      // VS Code shows them under a policy that allows neither.
      assert.doesNotMatch(picture, /<script|<style|style=|href=/);
      const colours = Array.from(picture.matchAll(/(?:fill|stroke)="([^"]+)"/g), ([, colour]) => colour ?? '');
      assert.ok(colours.length > 20);
      for (const colour of colours) assert.match(colour, /^(?:none|var\(--vscode-[\w-]+(?:,none)?\))$/);
    }
  });
});
