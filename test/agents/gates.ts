/** Named points at which a script pauses until the test releases it: tests control time without sleeping. */
export class Gates {
  private readonly gates = new Map<string, Gate>();

  /** Called by the script: reports that the gate was reached and waits for its release. */
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

  /** After the server is closed, pending waits are rejected. */
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
  // Otherwise a gate without a waiting test would end the test run with an unhandled rejection.
  reached.catch(() => {});
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { reached, opened, reach: () => reach(), open: () => open(), fail: (error) => fail(error) };
}
