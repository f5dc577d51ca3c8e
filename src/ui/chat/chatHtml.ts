import type { ChatPageLocation } from '../../shared/protocol/chatPageProtocol';

/** Parts of a webview document; URLs as from `webview.asWebviewUri`. */
export interface PageDocument {
  /** `webview.cspSource` */
  readonly cspSource: string;
  /** New for every document. */
  readonly nonce: string;
  /** dist/webview/page.js, an ES module that imports its chunks. */
  readonly script: string;
  /** Chunks that the script imports at once: without their names here, the page would request them one after the other. */
  readonly chunks?: readonly string[];
  /** A style sheet. */
  readonly styles: string;
  readonly title: string;
  /** Location of a chat, which decides about its header. */
  readonly location?: ChatPageLocation | undefined;
  /** Text for screen readers while a chat opens; without it the page is blank until its script runs. */
  readonly opening?: string | undefined;
  /** `vscode.env.language` */
  readonly language: string;
  /** Translations for the page's `t`; undefined in English. */
  readonly translations?: Readonly<Record<string, string>> | undefined;
}

/** Id of the element that contains the translations as JSON. */
const TRANSLATIONS_ID = 'translations';

/** Right-to-left languages by subtag. */
const FROM_RIGHT: ReadonlySet<string> = new Set(['ar', 'dv', 'fa', 'he', 'iw', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

const ROOT_ID = 'root';

/**
 * The webview's document. Its CSP allows only our own files: no inline script or style, no network (`cspSource` in `script-src` is for the
 * page's chunks).
 */
export function pageHtml(page: PageDocument): string {
  return `<!DOCTYPE html>
<html lang="${attribute(page.language)}" dir="${directionOf(page.language)}">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${attribute(policy(page))}">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <title>${attribute(page.title)}</title>
    <link rel="stylesheet" href="${attribute(page.styles)}">
${preloadsOf(page)}  </head>
  <body>
    <div id="${ROOT_ID}"${locationOf(page)}>${skeletonOf(page)}</div>
${tableOf(page)}    <script type="module" nonce="${attribute(page.nonce)}" src="${attribute(page.script)}"></script>
  </body>
</html>
`;
}

/** @param language BCP 47 tag, or VS Code's form such as "zh-cn" */
function directionOf(language: string): 'ltr' | 'rtl' {
  return FROM_RIGHT.has(language.split('-')[0]?.toLowerCase() ?? '') ? 'rtl' : 'ltr';
}

function preloadsOf({ chunks = [] }: PageDocument): string {
  return chunks.map((chunk) => `    <link rel="modulepreload" href="${attribute(chunk)}">\n`).join('');
}

function locationOf({ location }: PageDocument): string {
  return location === undefined ? '' : ` data-location="${location}"`;
}

/** What a chat shows until its script runs, as `Opening` in the page does until its session arrives. */
function skeletonOf({ opening }: PageDocument): string {
  if (opening === undefined) return '';
  const line = '<div class="line-to-come"></div>';
  return `<div class="opening"><p class="hidden-text">${attribute(opening)}</p>${line.repeat(3)}</div>`;
}

/** "<" is escaped, so that no translation can end the element. */
function tableOf({ translations }: PageDocument): string {
  if (!translations) return '';
  const json = JSON.stringify(translations).replaceAll('<', '\\u003c');
  return `    <script type="application/json" id="${TRANSLATIONS_ID}">${json}</script>\n`;
}

function policy({ cspSource, nonce }: PageDocument): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${cspSource}`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
    // Audio embedded in messages.
    'media-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
