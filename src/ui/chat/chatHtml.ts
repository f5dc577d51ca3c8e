/** What the document of the page is made of; addresses as `webview.asWebviewUri` gives them. */
export interface PageDocument {
  /** `webview.cspSource` */
  readonly cspSource: string;
  /** New for every document. */
  readonly nonce: string;
  /** dist/webview/page.js, an ES module that loads its chunks by itself. */
  readonly script: string;
  readonly styles: readonly string[];
  readonly title: string;
  /** Language of the page, as in `vscode.env.language`. */
  readonly language: string;
  /** The table that the page's `t` uses; absent in English. */
  readonly translations?: Readonly<Record<string, string>> | undefined;
}

/** The element that holds the table as JSON: data that the browser does not run. */
const TRANSLATIONS_ID = 'translations';

/** Languages that are written from right to left, by their subtag. */
const FROM_RIGHT: ReadonlySet<string> = new Set(['ar', 'dv', 'fa', 'he', 'iw', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** The element the page draws itself into. */
export const ROOT_ID = 'root';

/**
 * The document of the page. The policy allows our own files and nothing else: no inline script or style, no request to anywhere
 * (`cspSource` among the scripts is for the chunks the page loads when it needs them).
 */
export function pageHtml(page: PageDocument): string {
  const links = page.styles.map((href) => `    <link rel="stylesheet" href="${attribute(href)}">`);
  return `<!DOCTYPE html>
<html lang="${attribute(page.language)}" dir="${directionOf(page.language)}">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${attribute(policy(page))}">
    <meta name="viewport" content="width=device-width, initial-scale=1.0">
    <title>${attribute(page.title)}</title>
${links.join('\n')}
  </head>
  <body>
    <div id="${ROOT_ID}"></div>
${tableOf(page)}    <script type="module" nonce="${attribute(page.nonce)}" src="${attribute(page.script)}"></script>
  </body>
</html>
`;
}

/** @param language BCP 47 tag, or a name of VS Code such as "zh-cn" */
function directionOf(language: string): 'ltr' | 'rtl' {
  return FROM_RIGHT.has(language.split('-')[0]?.toLowerCase() ?? '') ? 'rtl' : 'ltr';
}

/** "<" is escaped: nothing in a translation can end the element. */
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
    // Audio that a message carries with it.
    'media-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
