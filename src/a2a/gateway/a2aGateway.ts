import { randomBytes } from 'node:crypto';
import { systemClock } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redactor';
import type { AuditLog } from '../../permissions/auditLog';
import type { CallTargets } from './callTargets';
import { GatewayServer } from './gatewayHttpServer';
import { McpCommandExecutor } from './mcpCommandExecutor';

/** The data that a client needs to connect. */
export interface GatewayAddress {
  readonly url: string;
  /** Valid until the gateway stops. */
  readonly token: string;
}

interface Started extends GatewayAddress {
  readonly server: GatewayServer;
  readonly executor: McpCommandExecutor;
}

/** Serves the tool servers over A2A; opens no port before `start`. */
export class Gateway implements Disposable {
  #started: Promise<Started> | undefined;

  constructor(
    private readonly targets: CallTargets,
    private readonly audit: AuditLog,
    private readonly redactor: Redactor,
    private readonly log: Logger,
  ) {}

  get isStarted(): boolean {
    return this.#started !== undefined;
  }

  /**
   * Starts the gateway unless it runs.
   * @throws Error when no port can be opened
   */
  async start(): Promise<GatewayAddress> {
    this.#started ??= this.#open();
    const started = this.#started;
    try {
      const { url, token } = await started;
      return { url, token };
    } catch (error) {
      if (this.#started === started) this.#started = undefined;
      throw error;
    }
  }

  /** Aborts running commands and closes the port. The token becomes invalid. */
  async stop(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    const open = await started?.catch(() => undefined);
    open?.executor.abortAll();
    open?.server.close();
  }

  dispose(): void {
    void this.stop();
  }

  async #open(): Promise<Started> {
    const executor = new McpCommandExecutor(this.targets, this.audit, this.log, systemClock);
    const token = randomBytes(32).toString('base64url');
    this.redactor.add([token]);
    const server = new GatewayServer(executor, this.targets, token, this.log);
    return { url: await server.listen(), token, server, executor };
  }
}
