import type { JSX } from 'preact';

interface SwitchProps {
  readonly label: string;
  /** What a click does, as a tooltip. */
  readonly title: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

/** Something that is on or off at once. */
export function Switch({ label, title, isOn, onSwitch }: SwitchProps): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-label={label}
      aria-checked={isOn}
      title={title}
      onClick={() => onSwitch(!isOn)}
    >
      <span class="switch-knob" aria-hidden="true" />
    </button>
  );
}
