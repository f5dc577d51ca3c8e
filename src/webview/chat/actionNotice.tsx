import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../base/l10n';
import type { PageNotice } from '../../shared/protocol/chatPageProtocol';
import { Icon, IconButton } from '../controls/icon';
import { usePage } from './pageContext';

/** The result of the user's last action, until the next one. The announcer reads it out. */
export function ActionNotice(): JSX.Element | null {
  const notice = usePage().store.notice.value;
  return notice ? <Row key={notice.id} notice={notice} /> : null;
}

function Row({ notice }: { notice: PageNotice }): JSX.Element {
  const { store, post, events } = usePage();
  const { id, isWarning } = notice;
  // The buttons disappear with the notice and would lose the focus.
  const toBox = (): void => events.focusComposer.fire();
  const press = (): void => {
    post({ type: 'pressNotice', id });
    toBox();
  };
  const dismiss = (isFocusInside: boolean): void => {
    store.notice.value = undefined;
    post({ type: 'dismissNotice', id });
    if (isFocusInside) toBox();
  };
  useEscape(dismiss);
  const kind = isWarning ? 'warning' : 'info';
  return (
    <div class={`action-notice ${kind}`} role="status" aria-live="off" aria-label={t('Notice')}>
      <Icon name={kind} />
      <Text notice={notice} onPress={press} />
      <IconButton icon="close" label={t('Dismiss')} onClick={() => dismiss(true)} />
    </div>
  );
}

interface TextProps {
  readonly notice: PageNotice;
  readonly onPress: () => void;
}

function Text({ notice: { text, details, button }, onPress }: TextProps): JSX.Element {
  return (
    <div class="action-notice-text">
      <span dir="auto">{text}</span>
      {button !== undefined && (
        <button type="button" class="link-button" onClick={onPress}>
          {button}
        </button>
      )}
      {details.map((line) => (
        <p key={line} class="muted" dir="auto">
          {line}
        </p>
      ))}
    </div>
  );
}

/** Handles an Escape key press that no other element handled, independent of the focus. */
function useEscape(dismiss: (isFocusInside: boolean) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isOther = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing;
      if (event.key !== 'Escape' || isOther || event.defaultPrevented) return;
      event.preventDefault();
      dismiss(document.activeElement?.closest('.action-notice') !== null);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
