import type { JSX } from 'preact';

/** A decorative codicon; the text is beside it or in the name of its button. */
export function Icon({ name, class: extra = '' }: { name: string; class?: string }): JSX.Element {
  return <i class={`codicon codicon-${name} ${extra}`.trimEnd()} aria-hidden="true" />;
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  /** Shown on hover when it differs from the label. */
  readonly title?: string;
  /** Why the button does nothing now, shown on hover. */
  readonly disabled?: string | undefined;
  /** For a button that expands something. */
  readonly expanded?: boolean;
  /** For a toggle button. */
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

export function IconButton({ icon, label, title, disabled, expanded, pressed, onClick }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      aria-expanded={expanded}
      aria-pressed={pressed}
      aria-disabled={disabled === undefined ? undefined : true}
      title={disabled ?? title ?? label}
      onClick={disabled === undefined ? onClick : undefined}
    >
      <Icon name={icon} />
    </button>
  );
}
