/** The window of a page with what the test or its host put on it. */
export type PageWindow<T> = Window & typeof globalThis & T;
