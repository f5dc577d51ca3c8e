import assert from 'node:assert/strict';
import { pageHtml } from '../../../../src/ui/chat/chatHtml';

const page = {
  cspSource: 'https://*.example.test',
  nonce: 'bm9uY2U=',
  script: 'https://r.example.test/page.js',
  styles: 'https://r.example.test/chat.css',
  title: 'Chat',
  language: 'en',
};

function policy(html: string): Map<string, string> {
  const content = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  return new Map(
    content.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );
}

describe('ui/chat/chatHtml', () => {
  it('allows only resources of the extension', () => {
    const allowed = policy(pageHtml(page));
    assert.equal(allowed.get('default-src'), "'none'");
    assert.equal(allowed.get('script-src'), "'nonce-bm9uY2U=' https://*.example.test");
    assert.equal(allowed.get('style-src'), 'https://*.example.test');
    assert.equal(allowed.get('img-src'), 'https://*.example.test data:');
    assert.equal(allowed.get('connect-src'), "'none'");
    const all = [...allowed.values()].join(' ');
    assert.doesNotMatch(all, /unsafe|\*(?!\.example)|https?:\/\/(?!\*\.example)/);
  });

  it('has one script, with the nonce, and no inline script or style', () => {
    const html = pageHtml(page);
    const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    assert.deepEqual(scripts, ['<script type="module" nonce="bm9uY2U=" src="https://r.example.test/page.js">']);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/);
    assert.match(html, /<html lang="en" dir="ltr">/);
    assert.deepEqual(
      [...html.matchAll(/<link rel="stylesheet" href="([^"]*)">/g)].map(([, href]) => href),
      [page.styles],
    );
  });

  it('shows placeholder lines of a chat before its script runs', () => {
    const html = pageHtml({ ...page, location: 'view', opening: 'Opening <it>' });
    const text = '<p class="hidden-text">Opening &lt;it&gt;</p>';
    assert.match(
      html,
      new RegExp(`<div id="root" data-location="view"><div class="opening">${text}(<div .*?</div>){3}</div></div>`),
    );
    assert.match(pageHtml(page), /<div id="root"><\/div>/);
  });

  it('names the chunks that the script needs, so that they load at the same time', () => {
    const html = pageHtml({ ...page, chunks: ['https://r.example.test/a.js', 'https://r.example.test/b.js"'] });
    assert.deepEqual(
      [...html.matchAll(/<link rel="modulepreload" href="([^"]*)">/g)].map(([, href]) => href),
      ['https://r.example.test/a.js', 'https://r.example.test/b.js&quot;'],
    );
  });

  it('escapes its parameters', () => {
    const html = pageHtml({ ...page, title: '</title><script>alert(1)</script>', script: 'x" onload="y' });
    assert.doesNotMatch(html, /<script>|" onload=/);
  });
});
