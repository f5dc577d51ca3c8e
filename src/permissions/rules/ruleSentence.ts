import { t } from '../../base/l10n';
import type { Rule } from './permissionRule';
import { NO_SHELL } from './permissionRule';

export const DECISION_LABELS: Readonly<Record<Rule['decision'], string>> = {
  allow: t('Allow'),
  ask: t('Ask'),
  deny: t('Deny'),
};

/** What a rule matches, in words: `command npm test, agent Claude`. Quotes tell what an agent has chosen from the next part. */
export function ruleSentence(rule: Rule): string {
  const { kind, command, path, cwd, tool, title, agent, agentIdentity, subject, identity, shell } = rule;
  const text = typeof command === 'string' || command === undefined ? command : command.map(quoteWord).join(' ');
  const parts = [
    text !== undefined && t('command {0}', text),
    shell !== undefined && shell !== NO_SHELL && t('run by {0}', quotePart(shell)),
    cwd !== undefined && t('in folder {0}', quotePart(cwd)),
    path !== undefined && t('files {0}', quotePart(path)),
    tool !== undefined && t('tool {0}', quotePart(tool)),
    title !== undefined && t('title {0}', quotePart(title)),
    kind !== undefined && t('kind {0}', kind),
    agent !== undefined && t('agent {0}', quotePart(agent)),
    agentIdentity !== undefined && t('only the same agent, not another one of that name'),
    subject !== undefined && t('only with the same arguments and content'),
    identity !== undefined && t('only the same tool, not another one of that name'),
  ];
  return parts.filter((part) => part !== false).join(', ') || t('every request');
}

function quoteWord(word: string): string {
  return /^[^\s"',]+$/u.test(word) ? word : quote(word);
}

function quotePart(text: string): string {
  return /, |"/.test(text) ? quote(text) : text;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}
