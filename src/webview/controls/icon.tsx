import type { JSX } from 'preact';

/** A codicon. Decoration only: the words stand beside it or in the name of its button. */
export function Icon({ name, class: extra = '' }: { name: string; class?: string }): JSX.Element {
  return <i class={`codicon codicon-${name} ${extra}`.trimEnd()} aria-hidden="true" />;
}

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  /** Shown on hover when it says more than the label. */
  readonly title?: string;
  /** For a button that opens something. */
  readonly expanded?: boolean;
  /** For a button that switches something on and off. */
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

export function IconButton({ icon, label, title, expanded, pressed, onClick }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      aria-expanded={expanded}
      aria-pressed={pressed}
      title={title ?? label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
