import { t } from '../../base/l10n';
import type { LinkState } from './link';
import type { Preparation } from './preparing';

/** Where a server stands, for the panel; undefined where there is nothing to say. @param wantsSignIn nothing works before the person has signed in */
export function stateText(preparation: Preparation, link: LinkState, wantsSignIn: boolean): string | undefined {
  if (preparation.status === 'working') return preparation.words;
  if (preparation.status === 'stuck') return preparation.why;
  if (wantsSignIn) return t('wants you to sign in');
  if (link.status === 'connecting') return t('connecting');
  if (link.status === 'ready') return t('ready');
  if (link.status === 'stopped') return preparation.status === 'none' ? undefined : t('not connected');
  const { message, again, tail } = link;
  const said =
    again === undefined ? t('failed: {0}', message) : t('failed: {0} (next attempt in {1} s)', message, again / 1000);
  return tail === '' ? said : `${said}\n${tail}`;
}
