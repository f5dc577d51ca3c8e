import type { JSX } from 'preact';

interface SwitchProps {
  readonly label: string;
  /** Effect of a click, as a tooltip. */
  readonly title: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

/** A switch with immediate effect. */
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
