import createDOMPurify from 'dompurify';
import type { Links, Tokens } from 'marked';
import { Marked, Parser } from 'marked';
import { t } from '../../base/l10n';
import { CodeBlock } from './codeBlock';
import { showFormulas } from './formulaQueue';
import { formulaAt, maskFormulas } from './mathSyntax';
import { escapeHtml, hasControls, replaceControls } from './normalizeText';

/** Targets of `[label]: target` and `[^label]: text`, by normalized label. */
export type Definitions = Links;

/** Internal target of a footnote reference. */
const footnoteTarget = 'parley-footnote:';

export function noDefinitions(): Definitions {
  return Object.create(null) as Definitions;
}

/** A copy that inherits definitions; those of incomplete text are discarded with it. */
export function withTrialDefinitions(definitions: Definitions): Definitions {
  return Object.create(definitions) as Definitions;
}

export function footnoteDefinition(label: string): Definitions[string] {
  return { href: footnoteTarget + label, title: null };
}

/** A line without any markup, entity, address or line break. */
const plainLine = /^\p{L}[\p{L}\p{N},;'"()%/ -]*[.!?]?(?<! )$/u;

/** Markdown of one or a few blocks as safe nodes. Adds its definitions to `definitions`. */
export function toFragment(markdown: string, definitions: Definitions): DocumentFragment {
  if (plainLine.test(markdown)) return paragraph(markdown);
  const lexer = new marked.Lexer(marked.defaults);
  lexer.tokens.links = definitions;
  const fragment = sanitize(Parser.parse(lexer.lex(markdown), marked.defaults));
  finish(fragment);
  return fragment;
}

/** Parser and browser would take ten times as long for the same. */
function paragraph(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const element = document.createElement('p');
  element.textContent = text;
  fragment.append(element);
  return fragment;
}

/** Whether these two lines begin a table. */
export function isTable(header: string, delimiter: string): boolean {
  return new marked.Lexer(marked.defaults).blockTokens(`${header}\n${delimiter}`)[0]?.type === 'table';
}

const marked = new Marked({
  gfm: true,
  hooks: { emStrongMask: maskFormulas },
  extensions: [
    {
      name: 'formula',
      level: 'inline',
      start: (text) => {
        const at = text.indexOf('$');
        return at < 0 ? undefined : at;
      },
      tokenizer(text, tokens) {
        if (!/^(?:\$|\\[[(])/.test(text)) return undefined;
        const raw = formulaAt(text, tokens.at(-1)?.raw ?? '');
        return raw === undefined ? undefined : { type: 'formula', raw };
      },
      renderer: ({ raw }) => `<span class="md-math">${escapeHtml(raw)}</span>`,
    },
  ],
  tokenizer: {
    // HTML is shown as text, so it is never a block.
    html: () => undefined,
  },
  renderer: {
    html: ({ text }) => escapeHtml(text),
    code: ({ text, lang }) => `<pre data-info="${escapeHtml(lang ?? '')}"><code>${escapeHtml(text)}</code></pre>`,
    checkbox: ({ checked }) => taskMark(checked),
    image: (token) => image(token),
    link(token) {
      return link(token.href, this.parser.parseInline(token.tokens));
    },
  },
});

/** The read-only check box of a task list's item, as text. */
export function taskMark(checked: boolean): string {
  const [label, sign] = checked ? [t('Done'), '\u2611'] : [t('To do'), '\u2610'];
  return `<span class="md-task" role="img" aria-label="${label}">${sign}</span> `;
}

/** Only the host opens links, after a check; elements in the page have no `href`. */
function link(href: string, content: string): string {
  if (href.startsWith(footnoteTarget)) return `<sup>${escapeHtml(href.slice(footnoteTarget.length))}</sup>`;
  const target = escapeHtml(href);
  return `<a role="link" tabindex="0" data-href="${target}" title="${escapeHtml(replaceControls(href))}">${content}</a>`;
}

/** An image with embedded data is shown, any other is a link: the page never loads from the network. */
function image({ href, text }: Tokens.Image): string {
  const alt = escapeHtml(text);
  if (/^data:image\/(?:png|gif|jpeg|webp|svg\+xml)[;,]/i.test(href))
    return `<img src="${escapeHtml(href)}" alt="${alt}">`;
  return link(href, alt || t('Image'));
}

const allowedTags =
  'p h1 h2 h3 h4 h5 h6 hr br blockquote ul ol li pre code em strong del sup a img span table thead tbody tr th td'.split(
    ' ',
  );
const allowedAttributes = 'class data-href data-info title role aria-label tabindex src alt start align'.split(' ');

let purifier: ReturnType<typeof createDOMPurify> | undefined;

/** Matches a tag with an attribute that is not known to be harmless. */
const otherTag = new RegExp(
  `<(?!${[
    '/?(?:p|h[1-6]|hr|br|blockquote|[uo]l|li|pre|code|em|strong|del|sup|span|table|thead|tbody|tr|th|td)>',
    'ol start="\\d+">',
    't[hd] align="(?:left|center|right)">',
    'pre data-info="[^"<>]*">',
    'span class="md-math">',
    // The host checks the target of a link before it opens it.
    'a role="link" tabindex="0" data-href="[^"<>]*" title="[^"<>]*">',
    '/a>',
  ].join('|')})`,
);

/**
 * Most texts consist of tags that are safe as they are: nothing is left to remove. For each text the sanitizer would create a document,
 * which takes longer than all else.
 */
function sanitize(html: string): DocumentFragment {
  if (!otherTag.test(html)) return document.createRange().createContextualFragment(html);
  purifier ??= createDOMPurify(window);
  return purifier.sanitize(html, {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: allowedAttributes,
    ALLOW_DATA_ATTR: false,
    ADD_URI_SAFE_ATTR: ['data-href', 'data-info'],
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Adds what HTML text cannot express: code blocks with a header, scrolling tables, visible controls. */
function finish(fragment: DocumentFragment): void {
  if (fragment.querySelector('pre, table')) {
    for (const pre of fragment.querySelectorAll('pre')) {
      pre.replaceWith(CodeBlock.of(pre.dataset['info'] ?? '', pre.textContent).element);
    }
    for (const table of fragment.querySelectorAll('table')) wrapTable(table);
  }
  if (hasControls(fragment.textContent ?? '')) showControls(fragment);
  showFormulas(fragment);
}

/** UTF-16 units of a cell's text that stays in one line; a longer one wraps in a column of a minimum width. */
const MAX_SHORT_CELL = 16;

function wrapTable(table: HTMLTableElement): void {
  for (const cell of table.querySelectorAll('th, td')) {
    if (cell.textContent.length > MAX_SHORT_CELL) cell.className = 'md-long';
  }
  const wrapper = document.createElement('div');
  wrapper.className = 'md-table';
  wrapper.setAttribute('role', 'group');
  wrapper.setAttribute('aria-label', t('Table'));
  wrapper.tabIndex = 0;
  table.replaceWith(wrapper);
  wrapper.append(table);
}

function showControls(fragment: DocumentFragment): void {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    node.nodeValue = replaceControls(node.nodeValue ?? '');
}
