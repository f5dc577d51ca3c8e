import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { PermissionEntry, RememberScope } from '../../../shared/state/toolCallState';
import { Icon } from '../../controls/icon';
import { MenuButton } from '../../controls/menu';
import { usePage } from '../pageContext';

const SCOPES: readonly { readonly id: RememberScope; readonly label: string; readonly description: string }[] = [
  { id: 'session', label: t('Session'), description: t('In this session, until the window is closed') },
  { id: 'workspace', label: t('Workspace'), description: t('In all sessions in this workspace') },
  { id: 'everywhere', label: t('Everywhere'), description: t('In all workspaces') },
];

/** Scope of an "always" answer. */
function ScopeMenu({ permissionId, scope }: { permissionId: string; scope: RememberScope }): JSX.Element {
  const { post } = usePage();
  const chosen = SCOPES.find(({ id }) => id === scope)?.label ?? scope;
  const label = t('Remembered for');
  const items = SCOPES.map(({ id, label: name, description }) => ({
    label: name,
    description,
    checked: id === scope,
    onPick: () => post({ type: 'rememberPermission', permissionId, scope: id }),
  }));
  return (
    <MenuButton
      label={`${label}: ${chosen}`}
      title={label}
      menuLabel={t('Remember for')}
      items={items}
      class="link-button"
    >
      {chosen}
      <Icon name="chevron-down" />
    </MenuButton>
  );
}

/** What is remembered of an answer, and "Remember…", which builds a rule. */
export function RememberedAnswer({ entry }: { entry: PermissionEntry }): JSX.Element {
  const { post } = usePage();
  const { permissionId, remembered } = entry;
  const button = (
    <button
      type="button"
      class="link-button remember"
      title={t('Build a rule for requests like this one')}
      onClick={() => post({ type: 'rememberRule', permissionId })}
    >
      {t('Remember…')}
    </button>
  );
  if (!remembered) return button;
  if (remembered.rules.length === 0) {
    return (
      <div class="remembered">
        <p>{remembered.note ?? t('No rule was created.')}</p>
        {!remembered.past && button}
      </div>
    );
  }
  return (
    <div class="remembered">
      <span class="muted">{t('Remembered')}</span>
      {remembered.rules.map((rule) => (
        <bdi key={rule}>{escapeInvisibleInline(rule)}</bdi>
      ))}
      {remembered.past ? (
        <span class="muted">{SCOPES.find(({ id }) => id === remembered.scope)?.label}</span>
      ) : (
        <>
          <ScopeMenu permissionId={permissionId} scope={remembered.scope} />
          {button}
        </>
      )}
    </div>
  );
}
