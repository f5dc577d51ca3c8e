declare module 'unbzip2-stream' {
  /** An old-style stream: it emits `data` during `write`. */
  interface Unbzip2 {
    write(chunk: Uint8Array): boolean;
    end(): void;
    on(event: 'data', listener: (chunk: Uint8Array) => void): this;
    on(event: 'error', listener: (error: unknown) => void): this;
  }
  function unbzip2Stream(): Unbzip2;
  // oxlint-disable-next-line import/no-default-export -- what the package has
  export default unbzip2Stream;
}
