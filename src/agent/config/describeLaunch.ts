import { t } from '../../base/l10n';

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Command, arguments and variables, never shortened. */
export function describeLaunch({ command, args, env }: Launch): string[] {
  const variables = Object.entries(env).map(([name, value]) => `  ${name}=${value}`);
  return [
    t('Command: {0}', command),
    args.length === 0 ? t('Arguments: none') : t('Arguments: {0}', args.map((arg) => JSON.stringify(arg)).join(' ')),
    ...(variables.length === 0 ? [t('Variables: none')] : [t('Variables:'), ...variables]),
  ];
}
