import type { IAsyncProperty, IProperty } from 'fast-check';

/** A part of the product that must cope with any input. */
export interface Target {
  readonly name: string;
  /** The property: generated input and assertions. Created again for each batch. */
  property(): IProperty<unknown[]> | IAsyncProperty<unknown[]>;
  /** Cases per batch, for slow targets. */
  readonly batch?: number;
  open?(): Promise<void>;
  close?(): Promise<void>;
}

/** fast-check's properties are typed by their inputs, which only fast-check uses. */
export function anyInput<T>(property: IProperty<T> | IAsyncProperty<T>): ReturnType<Target['property']> {
  return property as unknown as ReturnType<Target['property']>;
}
