/**
 * The last bytes of a command's output, as UTF-8. Time and memory are linear in the appended data, and memory is
 * limited: one buffer of at most twice the limit, whose end is moved to its start when it is full.
 */
export class OutputTail {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #hasDropped = false;

  /** @param limit number of retained bytes */
  constructor(limit: number) {
    this.#limit = Math.max(0, limit);
  }

  append(text: string): void {
    const data = Buffer.from(text, 'utf8');
    if (data.length >= this.#limit) this.#replace(data);
    else this.#add(data);
  }

  /**
   * The newest output, at most `limit` bytes, starting at a character boundary. `truncated` means that earlier output
   * is missing.
   */
  read(limit = this.#limit): { output: string; truncated: boolean } {
    const length = Math.max(0, Math.min(limit, this.#limit));
    const first = Math.max(this.#start, this.#end - length);
    let start = first;
    // A byte 10xxxxxx continues a character whose start was cut off.
    if (first > 0) while (start < this.#end && ((this.#buffer[start] ?? 0) & 0xc0) === 0x80) start++;
    return {
      output: this.#buffer.toString('utf8', start, this.#end),
      truncated: this.#hasDropped || start > this.#start,
    };
  }

  #replace(data: Buffer): void {
    this.#hasDropped ||= this.#end > this.#start || data.length > this.#limit;
    this.#buffer = Buffer.from(data.subarray(data.length - this.#limit));
    this.#start = 0;
    this.#end = this.#buffer.length;
    this.#skipContinuation();
  }

  #add(data: Buffer): void {
    if (this.#end + data.length > this.#buffer.length) this.#makeRoom(data.length);
    data.copy(this.#buffer, this.#end);
    this.#end += data.length;
    if (this.#end - this.#start > this.#limit) {
      this.#start = this.#end - this.#limit;
      this.#hasDropped = true;
      this.#skipContinuation();
    }
  }

  /** Grows up to twice the limit; then moves the retained bytes to the start, once per `limit` bytes. */
  #makeRoom(needed: number): void {
    const rest = this.#buffer.subarray(this.#start, this.#end);
    const size = Math.min(2 * this.#limit, Math.max(4096, 2 * (rest.length + needed)));
    const buffer = size > this.#buffer.length ? Buffer.alloc(size) : this.#buffer;
    rest.copy(buffer);
    this.#buffer = buffer;
    this.#end = rest.length;
    this.#start = 0;
  }

  #skipContinuation(): void {
    if (!this.#hasDropped) return;
    while (this.#start < this.#end && ((this.#buffer[this.#start] ?? 0) & 0xc0) === 0x80) this.#start++;
  }
}
