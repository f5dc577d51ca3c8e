/**
 * A value of another type than the parameter declares, as agents, servers, files and other extensions can give it.
 * The name says why a test gives it.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- inferred from where the value goes
export function hostile<T>(value: unknown): T {
  return value as T;
}
