/** Named places where a script stands still until a test lets it go on: how a test stops time without sleeping. */
export class Gates {
  private readonly gates = new Map<string, Gate>();

  /** Called by the script: notes that it is here and waits for the release. */
  async pass(name: string): Promise<void> {
    const gate = this.gate(name);
    gate.reach();
    await gate.opened;
  }

  async reached(name: string): Promise<void> {
    await this.gate(name).reached;
  }

  release(name: string): void {
    this.gate(name).open();
  }

  /** Nobody waits for a server that is gone. */
  close(error: Error): void {
    for (const gate of this.gates.values()) gate.fail(error);
  }

  private gate(name: string): Gate {
    const known = this.gates.get(name) ?? createGate();
    this.gates.set(name, known);
    return known;
  }
}

interface Gate {
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  readonly reach: () => void;
  readonly open: () => void;
  readonly fail: (error: Error) => void;
}

function createGate(): Gate {
  let reach = (): void => {};
  let open = (): void => {};
  let fail = (_error: Error): void => {};
  const reached = new Promise<void>((resolve, reject) => {
    reach = resolve;
    fail = reject;
  });
  // Without this a gate that nobody asked about would end the test run as an unhandled rejection.
  reached.catch(() => {});
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { reached, opened, reach: () => reach(), open: () => open(), fail: (error) => fail(error) };
}
