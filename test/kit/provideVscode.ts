import Module from 'node:module';

type Load = (this: void, id: string, ...rest: unknown[]) => unknown;

/**
 * Gives code that is loaded later this object as the module `vscode`.
 * @returns Gives it what it got before.
 */
export function provideVscode(stub: object): () => void {
  const load = Reflect.get(Module, '_load') as Load;
  const provide: Load = (id, ...rest) => (id === 'vscode' ? stub : Reflect.apply(load, Module, [id, ...rest]));
  Reflect.set(Module, '_load', provide);
  return () => void Reflect.set(Module, '_load', load);
}
