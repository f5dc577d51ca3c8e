import { t } from '../../base/l10n';
import { effectByWords } from './effectWords';
import type { OutsideEffect } from './program';
import { toolName } from './programNames';
import { programNamed } from './programTable';

/** Effects of commands outside the files of the workspace: on other machines, this machine, other programs, or with credentials. */
export const EFFECT_TEXTS: Readonly<Record<OutsideEffect, string>> = {
  publishes: t('publishes or deploys'),
  serves: t('serves files to other programs or machines'),
  sends: t('acts on another machine or service'),
  downloads: t('may download a program and run it'),
  changesMachine: t('changes programs or settings on this machine'),
  controlsPrograms: t('ends or controls other programs'),
  startsAgent: t('starts an agent, which has rights of its own'),
  showsProcesses: t('can show the environment or memory of other processes'),
  showsSecrets: t('can reveal credentials'),
};

/** The program and its effect outside the workspace, in a few words; undefined if no such effect is known. */
export function findOutsideEffect(argv: readonly string[]): string | undefined {
  const name = toolName(argv[0] ?? '');
  const program = programNamed(name);
  if (program?.effectOf) {
    const effect = program.effectOf(argv);
    return effect && [name, ...(effect.words === undefined ? [] : [effect.words]), EFFECT_TEXTS[effect.why]].join(' ');
  }
  const text = argv.slice(1).join(' ');
  const effect = program?.effects?.find(
    ({ words, unless }) => words?.test(text) !== false && unless?.test(text) !== true,
  );
  if (effect) return `${name} ${EFFECT_TEXTS[effect.why]}`;
  const byWords = effectByWords(argv);
  return byWords && `${byWords.label} ${EFFECT_TEXTS[byWords.why]}`;
}
