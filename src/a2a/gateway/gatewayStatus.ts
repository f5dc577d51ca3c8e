import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { showInformationMessage } from '../../workbench/windowMessages';
import type { Gateway, GatewayAddress } from './a2aGateway';

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

/** Reports the start, with buttons to copy the URL and the token. */
export async function showStarted({ url, token }: GatewayAddress, gateway: Gateway): Promise<void> {
  const message = t(
    'The A2A gateway is running at {0}. Anyone with its token can use the tools of your sessions, subject to your rules.',
    url,
  );
  const remaining = new Map([
    [t('Copy URL'), url],
    [t('Copy Token'), token],
  ]);
  while (remaining.size > 0 && gateway.isStarted) {
    const chosen = await showInformationMessage(message, ...remaining.keys());
    const text = chosen === undefined ? undefined : remaining.get(chosen);
    if (chosen === undefined || text === undefined) return;
    await vscode.env.clipboard.writeText(text);
    remaining.delete(chosen);
  }
}

/**
 * Offers the actions for a running gateway.
 * @param stop stops the gateway
 */
export async function chooseAction({ url, token }: GatewayAddress, stop: () => Promise<void>): Promise<void> {
  const copy = (label: string, detail: string, text: string): vscode.QuickPickItem & { run(): PromiseLike<void> } => ({
    label: `$(copy) ${label}`,
    detail,
    run: () => vscode.env.clipboard.writeText(text),
  });
  const items = [
    copy(t('Copy URL'), url, url),
    copy(t('Copy Token'), t('Valid until the gateway stops. Clients send it as a bearer token'), token),
    {
      label: `$(debug-stop) ${t('Stop A2A Gateway')}`,
      detail: t('Cancels running calls and invalidates the token'),
      run: stop,
    },
  ];
  const placeHolder = t('The A2A gateway is running at {0}', url);
  const chosen = await vscode.window.showQuickPick(items, { title: t('A2A Gateway'), placeHolder });
  await chosen?.run();
}
