import type { OutsideEffect } from './program';

/** What `ps` shows of processes. */

const ENVIRONMENT_KEYWORD = /(?:^|,)env(?:iron(?:ment)?)?(?:$|[,=:])/i;
const TAKES_VALUE =
  /^-(?:[A-Za-z]*[oOpqstuUgGCkn]|-(?:format|pid|ppid|sort|user|User|group|Group|tty|cols|columns|width|rows|lines|sid|quick-pid))$/;

/** Whether `ps` shows the environment of processes: `ps e`, `ps auxe`, `ps -E` (macOS). `ps -e` only selects all processes. */
function showsEnvironment([, ...words]: readonly string[]): boolean {
  return words.some((word, index) => {
    const before = words[index - 1] ?? '';
    if (TAKES_VALUE.test(before) || /^[a-df-zA-Z]*[oOkU]$/.test(before) || word.includes(',') || word.includes('='))
      return ENVIRONMENT_KEYWORD.test(word);
    // With "x" or "a", these are options without a dash for ps of Linux: "ps -auxe".
    if (word.startsWith('-')) return !word.startsWith('--') && (word.includes('E') || /^-(?=.*x)(?=.*e)/.test(word));
    return /^[A-Za-z]*e[A-Za-z]*$/.test(word);
  });
}

export function psEffect(argv: readonly string[]): { why: OutsideEffect } | undefined {
  return showsEnvironment(argv) ? { why: 'showsProcesses' } : undefined;
}
