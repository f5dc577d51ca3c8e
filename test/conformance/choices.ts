import type { JsonObject } from '../../src/base/json';
import { asArray, isObject } from '../../src/base/json';
import { paramsOf } from './wire';

/** Config options of the fake agent: it accepts every value and sends the complete list again. */
class OfferedChoices {
  #options: readonly JsonObject[] = [];

  learn(told: JsonObject): void {
    if (Array.isArray(told['configOptions'])) this.#options = told['configOptions'].filter(isObject);
  }

  serves(msg: JsonObject): boolean {
    return (
      'id' in msg &&
      ['session/set_config_option', 'session/set_mode', 'session/set_model'].includes(String(msg['method']))
    );
  }

  /** Selecting a model removes the last option: available options may depend on the model. */
  answer(msg: JsonObject): JsonObject {
    const { configId, value } = paramsOf(msg);
    if (msg['method'] !== 'session/set_config_option') return { jsonrpc: '2.0', id: msg['id'], result: {} };
    const changed = this.#options.map((option) =>
      option['id'] === configId ? { ...option, currentValue: value } : option,
    );
    this.#options = configId === 'model' ? changed.filter(({ id }) => id !== 'effort') : changed;
    return { jsonrpc: '2.0', id: msg['id'], result: { configOptions: asArray(this.#options) } };
  }
}

export const choices = new OfferedChoices();
