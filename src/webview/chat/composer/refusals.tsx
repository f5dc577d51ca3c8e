import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import { Icon } from '../../controls/icon';
import { TranslatedSentence } from '../../controls/translatedSentence';
import { usePage } from '../pageContext';
import { unknownCommand } from './commandText';

/** Why attachments or messages were refused. */
export function AttachmentRemarks({ remarks }: { remarks: Signal<readonly string[]> }): JSX.Element {
  return (
    <div class="refusal" role="alert">
      <p>
        <Icon name="warning" />
        <span>
          {remarks.value.map((remark) => (
            <bdi class="remark" key={remark}>
              {escapeInvisibleInline(remark)}
            </bdi>
          ))}
        </span>
      </p>
      <button type="button" class="button" onClick={() => (remarks.value = [])}>
        {t('Dismiss')}
      </button>
    </div>
  );
}

interface RefusalProps {
  readonly refused: Signal<string | undefined>;
  readonly text: Signal<string>;
  readonly onSend: () => void;
}

/** An unknown command is not sent: the agent would take it for a prompt. */
export function CommandRefusal({ refused, text, onSend }: RefusalProps): JSX.Element | null {
  const { store } = usePage();
  const commands = store.allCommands.value;
  const name = refused.value === text.value ? unknownCommand(text.value, store.commands.value, commands) : undefined;
  if (name === undefined) return null;
  return (
    <div class="refusal" role="alert">
      <p>
        <Icon name="warning" />
        <span>
          <TranslatedSentence
            text={t('{0} does not support the command {1}. Available commands: {2}.')}
            parts={[
              store.agent.value?.title ?? t('The agent'),
              <bdi>/{name}</bdi>,
              <bdi>{commands.map((command) => `/${command.name}`).join(', ')}</bdi>,
            ]}
          />
        </span>
      </p>
      <button type="button" class="button" onClick={onSend}>
        {t('Send as text')}
      </button>
    </div>
  );
}
