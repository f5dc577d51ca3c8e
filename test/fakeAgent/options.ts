import type { Json } from './wire';

type Handle = (id: unknown, params: Json) => Promise<void>;

interface OptionsDeps {
  /** The config options of `session/new`. */
  readonly options: Json[];
  succeed(id: unknown, result: unknown): Promise<void>;
  fail(id: unknown, code: number, message: string): Promise<void>;
}

/** Modes, models and config options. The value `refused` is rejected; `held` is answered after the next selection. */
export function optionMethods(deps: OptionsDeps): Record<string, Handle> {
  let { options } = deps;
  let held: (() => Promise<void>) | undefined;
  const answer = async (id: unknown, value: unknown, result: Json): Promise<void> => {
    if (value === 'refused') return deps.fail(id, -32602, 'This choice is refused');
    if (value === 'held') {
      held = () => deps.succeed(id, result);
      return undefined;
    }
    await deps.succeed(id, result);
    const late = held;
    held = undefined;
    return late?.();
  };
  return {
    'session/set_mode': (id, { modeId }) => answer(id, modeId, {}),
    'session/set_model': (id, { modelId }) => answer(id, modelId, {}),
    'session/set_config_option': (id, { configId, value }) => {
      if (value !== 'refused') {
        options = options.map((option) => (option['id'] === configId ? { ...option, currentValue: value } : option));
      }
      return answer(id, value, { configOptions: options });
    },
  };
}
