import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { ToolItem } from '../../../shared/protocol/toolsPanelState';
import { ChangedToolRow } from './changedToolRow';
import { usePage } from '../pageContext';
import { Switch } from '../../controls/switch';

/**
 * A tool with its switch, or why it is unavailable.
 * @param server its server's name
 */
export function ToolSwitchRow({ server, tool }: { server: string; tool: ToolItem }): JSX.Element {
  const { post } = usePage();
  const { id, description, withheld, isOn, changed } = tool;
  return (
    <li class={withheld === undefined ? '' : 'withheld'}>
      <div class="offered-tool">
        <code>{escapeInvisibleInline(id)}</code>
        {withheld !== undefined && <span class="muted">{t('unavailable: {0}', withheld)}</span>}
        {isOn !== undefined && (
          <Switch
            label={escapeInvisibleInline(id)}
            title={isOn ? t('Disable {0} in this workspace', id) : t('Enable {0} in this workspace', id)}
            isOn={isOn}
            onSwitch={(on) => post({ type: 'switchTool', tool: id, on })}
          />
        )}
      </div>
      {description !== '' && (
        <p class="muted" title={description}>
          {description}
        </p>
      )}
      {changed && <ChangedToolRow server={server} tool={tool} changed={changed} />}
    </li>
  );
}
