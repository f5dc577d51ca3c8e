// npm run docs:keyboard: writes the table of keybindings in docs/keyboard.md, from package.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PAGE = 'docs/keyboard.md';
const BEGIN = '<!-- begin: npm run docs:keyboard -->';
const END = '<!-- end -->';
const NAMES = { alt: 'Alt', cmd: 'Cmd', ctrl: 'Ctrl', pagedown: 'PageDown', pageup: 'PageUp', shift: 'Shift' };
/**
 * On a Mac `Cmd+K` alone clears the terminal and the Debug Console; a chord that starts with it would disable that. The page
 * explains it once.
 */
const NOT_CLEARING = "!isMac || !terminalFocus && focusedView != 'workbench.panel.repl.view'";
/** Descriptions of `when` clauses; add an entry for each new clause. */
const WHEN = {
  'editorTextFocus && parley.hasChanges': 'in an editor, while there are changes to review',
  [`parley.hasChanges && (${NOT_CLEARING})`]: 'while there are changes to review',
  [NOT_CLEARING]: 'everywhere',
  editorTextFocus: 'in an editor',
  'focusedView == parley.chat || activeWebviewPanelId == parley.editor && !editorTextFocus': 'in a chat',
  'focusedView == parley.sessions && listFocus && !inputFocus': 'in the sessions view, for the focused session',
};

/** @param {string} key "ctrl+k alt+n" becomes "Ctrl+K Alt+N" */
function written(key) {
  const part = (name) => NAMES[name] ?? name.slice(0, 1).toUpperCase() + name.slice(1);
  return key
    .split(' ')
    .map((chord) => chord.split('+').map(part).join('+'))
    .join(' ');
}

function condition(when) {
  if (WHEN[when] === undefined) throw new Error(`test/host/keyboard.mjs has no words for the condition "${when}".`);
  return WHEN[when];
}

/** The table of all keybindings of the extension, as Markdown. @param {string} root */
export function keysTable(root = home) {
  const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const { keybindings, commands } = read('package.json').contributes;
  const sentences = read('package.nls.json');
  const title = (id) => {
    const found = commands.find(({ command }) => command === id);
    if (!found) throw new Error(`package.json binds a key to "${id}", which is no command of it.`);
    return sentences[found.title.replaceAll('%', '')] ?? found.title;
  };
  // `runCommands` repeats keys of commands, for an editor that must lose the focus first.
  const rows = keybindings
    .filter(({ command }) => command !== 'runCommands')
    .map(
      ({ command, key, mac, when }) =>
        `| ${title(command)} | \`${written(key)}\` | \`${written(mac ?? key)}\` | ${condition(when)} |`,
    );
  return ['| command | key | on a Mac | where |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The document with the current table. @param {string} root */
export function keyboardDocument(root = home) {
  const text = readFileSync(join(root, PAGE), 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has lost the marks "${BEGIN}" and "${END}".`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${keysTable(root)}\n\n${text.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(home, PAGE), keyboardDocument());
