import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { AuditPageMessage } from '../../shared/protocol/auditPageProtocol';
import { deciderName } from '../../shared/protocol/auditPageProtocol';
import type { AuditStore } from './auditStore';

interface ToolbarProps {
  readonly store: AuditStore;
  readonly post: (message: AuditPageMessage) => void;
}

export function AuditToolbar({ store, post }: ToolbarProps): JSX.Element {
  const { text, decision, by } = store.filter.value;
  const deciders = store.deciders.value.map((each) => [each, deciderName(each)] as const);
  return (
    <div class="toolbar" role="toolbar" aria-label={t('Audit log')}>
      <input
        type="search"
        aria-label={t('Filter by text')}
        placeholder={t('Filter')}
        value={text}
        onInput={(event) => store.narrow({ text: event.currentTarget.value })}
      />
      <FilterSelect
        label={t('Decision')}
        all={t('All decisions')}
        choices={DECISIONS}
        value={decision}
        onChange={(value) => store.choose('decision', value)}
      />
      <FilterSelect
        label={t('Decided by')}
        all={t('Anyone')}
        choices={deciders}
        value={by}
        onChange={(value) => store.choose('by', value)}
      />
      <button type="button" class="button" onClick={() => post({ type: 'manageRules' })}>
        {t('Manage Rules')}
      </button>
      <button type="button" class="button" onClick={() => post({ type: 'export' })}>
        {t('Export')}
      </button>
    </div>
  );
}

const DECISIONS = [
  ['allowed', t('Allowed')],
  ['denied', t('Rejected')],
  ['canceled', t('Canceled')],
] as const;

interface ChoiceProps {
  readonly label: string;
  readonly all: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function FilterSelect({ label, all, choices, value = '', onChange }: ChoiceProps): JSX.Element {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
    >
      <option value="">{all}</option>
      {choices.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
