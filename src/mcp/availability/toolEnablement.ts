import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { asArray, isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';

const KEY = 'parley.toolSwitches';
const TOOLS_KEY = 'parley.toolsOff';

/**
 * Overrides of the Tools panel for this workspace. They are stored in workspace state, not in a settings file that would be shared with the
 * repository.
 */
export class ToolEnablement implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  #positions: Readonly<Record<string, boolean>>;
  #toolsOff: ReadonlySet<string>;

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor(private readonly memory: Memento) {
    const stored = memory.get(KEY);
    const entries = isObject(stored) ? Object.entries(stored) : [];
    this.#positions = Object.fromEntries(
      entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
    this.#toolsOff = new Set(asArray(memory.get(TOOLS_KEY)).filter((id) => typeof id === 'string'));
  }

  /** Ids of disabled tools. Tools are enabled by default, so only disabled ones are stored. */
  get toolsOff(): ReadonlySet<string> {
    return this.#toolsOff;
  }

  /**
   * @param id `server__tool`
   * @throws Error when the state cannot be stored; it still applies in this window.
   */
  async setTool(id: string, isOn: boolean): Promise<void> {
    if (this.#toolsOff.has(id) === !isOn) return;
    const others = [...this.#toolsOff].filter((one) => one !== id);
    this.#toolsOff = new Set(isOn ? others : [...others, id]);
    this.#onDidChange.fire();
    await this.memory.update(TOOLS_KEY, [...this.#toolsOff]);
  }

  /** Undefined where the settings decide. */
  get(server: string): boolean | undefined {
    return Object.hasOwn(this.#positions, server) ? this.#positions[server] : undefined;
  }

  /**
   * @param isOn undefined removes the override.
   * @throws Error when the state cannot be stored; it still applies in this window.
   */
  async set(server: string, isOn: boolean | undefined): Promise<void> {
    if (this.get(server) === isOn) return;
    const { [server]: _old, ...others } = this.#positions;
    this.#positions = isOn === undefined ? others : { ...others, [server]: isOn };
    this.#onDidChange.fire();
    await this.memory.update(KEY, this.#positions);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
