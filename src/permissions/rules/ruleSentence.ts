import { t } from '../../base/l10n';
import type { Rule } from './permissionRule';

export const DECISION_LABELS: Readonly<Record<Rule['decision'], string>> = {
  allow: t('Allow'),
  ask: t('Ask'),
  deny: t('Deny'),
};

/** What a rule matches, in words: `command npm test, agent Claude`. */
export function ruleSentence({ kind, command, path, cwd, tool, title, agent, subject }: Rule): string {
  const text = typeof command === 'string' || command === undefined ? command : command.join(' ');
  const parts = [
    text !== undefined && t('command {0}', text),
    cwd !== undefined && t('in folder {0}', cwd),
    path !== undefined && t('files {0}', path),
    tool !== undefined && t('tool {0}', tool),
    title !== undefined && t('title {0}', title),
    kind !== undefined && t('kind {0}', kind),
    agent !== undefined && t('agent {0}', agent),
    subject !== undefined && t('only with the same arguments and content'),
  ];
  return parts.filter((part) => part !== false).join(', ') || t('every request');
}
