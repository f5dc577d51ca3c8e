import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { ToolItem, ChangedToolItem as Changed } from '../../../shared/protocol/toolsPanelState';
import { usePage } from '../pageContext';
import { Switch } from '../../controls/switch';
import { differingRange } from '../toolCalls/differingRange';

/**
 * A tool with its switch, or why it is unavailable.
 * @param server its server's name
 */
export function ToolSwitchRow({ server, tool }: { server: string; tool: ToolItem }): JSX.Element {
  const { post } = usePage();
  const { id, description, unavailableReason, isOn, changed } = tool;
  return (
    <li class={unavailableReason === undefined ? '' : 'withheld'}>
      <div class="offered-tool">
        <code>{escapeInvisibleInline(id)}</code>
        {unavailableReason !== undefined && <span class="muted">{t('unavailable: {0}', unavailableReason)}</span>}
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

interface ChangedProps {
  readonly server: string;
  readonly tool: ToolItem;
  readonly changed: Changed;
}

/** Shows both definitions of a changed tool, which is held back until the user decides. */
function ChangedToolRow({ server, tool, changed }: ChangedProps): JSX.Element {
  const { post } = usePage();
  const { before, after, hash, isBlocked } = changed;
  const parts = differingRange(before, after);
  const isNew = before === '';
  const name = escapeInvisibleInline(tool.id);
  const decide = (isAccepted: boolean): void =>
    post({ type: 'decideTool', server, tool: tool.name, hash, accept: isAccepted });
  return (
    <div class="changed-tool" role="group" aria-label={isNew ? t('New: {0}', name) : t('Changed: {0}', name)}>
      <div class="changed-texts">
        {!isNew && <Side title={t('Previously accepted')} part={parts.before} isNew={false} />}
        <Side title={t('Current')} part={parts.after} isNew />
      </div>
      <div class="buttons">
        <button type="button" class="button small" onClick={() => decide(true)}>
          {t('Accept')}
        </button>
        {!isBlocked && (
          <button type="button" class="button small secondary" onClick={() => decide(false)}>
            {t('Block')}
          </button>
        )}
      </div>
    </div>
  );
}

interface SideProps {
  readonly title: string;
  /** Common prefix, difference, common suffix. */
  readonly part: readonly [string, string, string];
  readonly isNew: boolean;
}

function Side({ title, part: [start, middle, end], isNew }: SideProps): JSX.Element {
  return (
    <figure class="changed-side">
      <figcaption>{title}</figcaption>
      <pre dir="auto">
        {start}
        {middle !== '' && (isNew ? <ins>{middle}</ins> : <del>{middle}</del>)}
        {end}
      </pre>
    </figure>
  );
}
