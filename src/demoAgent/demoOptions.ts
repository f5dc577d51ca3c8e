import type {
  AvailableCommand,
  SessionConfigOption,
  SessionModeState,
  SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { RequestError } from '@agentclientprotocol/sdk/unstable';

/** The config options of the demo agent; each changes its behavior. */

type DemoMode = 'ask' | 'edits' | 'readonly';
type DemoSpeed = 'reading' | 'fast';

const MODES: readonly { value: DemoMode; name: string; description: string }[] = [
  { value: 'ask', name: 'Ask first', description: 'Asks before it changes a file' },
  { value: 'edits', name: 'Accept edits', description: 'Changes its own file without asking' },
  { value: 'readonly', name: 'Read only', description: 'Changes no file and runs no command' },
];

const SPEEDS: readonly { value: DemoSpeed; name: string; description: string }[] = [
  { value: 'reading', name: 'Reading speed', description: 'Shows text at reading speed' },
  { value: 'fast', name: 'Fast', description: 'Shows everything immediately' },
];

/** The option values of one session. */
export class DemoOptions {
  mode: DemoMode = 'ask';
  speed: DemoSpeed = 'reading';

  /** For clients with support for config options. */
  get list(): SessionConfigOption[] {
    const mode = { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: this.mode } as const;
    const speed = { id: 'speed', name: 'Speed', type: 'select', currentValue: this.speed } as const;
    return [
      { ...mode, description: 'What it may do without asking', options: [...MODES] },
      { ...speed, description: 'How fast text is shown', options: [...SPEEDS] },
    ];
  }

  /** For clients that only support modes (ACP session-modes). */
  get modes(): SessionModeState {
    const availableModes = MODES.map(({ value, name, description }) => ({ id: value, name, description }));
    return { currentModeId: this.mode, availableModes };
  }

  setMode(value: unknown): void {
    this.mode = oneOf(MODES, value, 'mode');
  }

  /** @throws RequestError (-32602) that names the available options */
  set({ configId, value }: SetSessionConfigOptionRequest): void {
    if (configId === 'mode') this.setMode(value);
    else if (configId === 'speed') this.speed = oneOf(SPEEDS, value, 'speed');
    else
      throw RequestError.invalidParams({ configId }, `There is no option "${configId}"; there are "mode" and "speed"`);
  }
}

function oneOf<T extends string>(available: readonly { value: T }[], value: unknown, what: string): T {
  const found = available.find((one) => one.value === value);
  if (found) return found.value;
  const names = available.map((one) => `"${one.value}"`).join(', ');
  throw RequestError.invalidParams({ value }, `The ${what} must be one of ${names}, not ${JSON.stringify(value)}`);
}

export const COMMANDS: readonly AvailableCommand[] = [
  { name: 'tour', description: 'Show everything' },
  { name: 'plan', description: 'Show a plan whose steps progress' },
  { name: 'read', description: 'Read a file through the editor' },
  { name: 'tools', description: 'Ask the editor for problems and symbols over MCP' },
  { name: 'edit', description: 'Change parley-demo.md' },
  { name: 'ask', description: 'Ask for permission; nothing is done' },
  { name: 'run', description: 'Run a harmless command' },
  { name: 'approve', description: 'Ask for approval of a plan' },
  { name: 'form', description: 'Ask with a form' },
  { name: 'background', description: 'Run a command that continues after the turn' },
  { name: 'limit', description: 'Show a usage limit that is used up for a minute' },
  { name: 'long', description: 'Give a long answer', input: { hint: 'number of sections, 1 to 99' } },
];
