import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { GatewayAddress } from './a2aGateway';

/** Shows a running gateway in the status bar, as long as its port is open. */
export class GatewayStatus implements Disposable {
  readonly #item = vscode.window.createStatusBarItem('parley.a2aGateway', vscode.StatusBarAlignment.Right, 99);
  #address: GatewayAddress | undefined;

  constructor() {
    this.#item.name = t('Parley: A2A Gateway');
    this.#item.text = '$(broadcast) A2A';
    // When run again, the command shows the actions for the running gateway.
    this.#item.command = 'parley.startA2aGateway';
  }

  /** The URL and token; undefined while the gateway is stopped. */
  get address(): GatewayAddress | undefined {
    return this.#address;
  }

  /** @param address undefined when the gateway has stopped */
  async set(address: GatewayAddress | undefined): Promise<void> {
    this.#address = address;
    if (address) {
      this.#item.tooltip = t(
        'The A2A gateway is running at {0}. Select to copy its URL or token, or to stop it.',
        address.url,
      );
      this.#item.accessibilityInformation = { label: t('A2A gateway is running'), role: 'button' };
      this.#item.show();
    } else {
      this.#item.hide();
    }
    await vscode.commands.executeCommand('setContext', 'parley.a2aGatewayRunning', address !== undefined);
  }

  dispose(): void {
    this.#item.dispose();
  }
}
