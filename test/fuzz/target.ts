import type { IAsyncProperty, IProperty } from 'fast-check';

/** A part of the product that must stand whatever comes. */
export interface Target {
  readonly name: string;
  /** What may come and what must then hold; made again for each batch. */
  property(): IProperty<unknown[]> | IAsyncProperty<unknown[]>;
  /** Cases of a batch, where they take long. */
  readonly batch?: number;
  open?(): Promise<void>;
  close?(): Promise<void>;
}

/** fast-check's properties are typed by their inputs, which nobody but fast-check looks at. */
export function anyInput<T>(property: IProperty<T> | IAsyncProperty<T>): ReturnType<Target['property']> {
  return property as unknown as ReturnType<Target['property']>;
}
