import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Sessions } from '../../session/sessions';
import type { ShowNotice } from '../../workbench/notice';
import type { UiDeps } from '../uiDeps';
import type { AuditView } from './auditView';

/** The UI of permission rules and decisions. Most code is loaded on first use. */
export class PermissionViews implements Disposable {
  readonly #policy: UiDeps['policy'];
  readonly #sessions: Sessions;
  readonly #auditView: Lazy<AuditView>;

  constructor(
    { extensionUri, log, policy, sessions }: UiDeps,
    private readonly showNotice: ShowNotice,
  ) {
    this.#policy = policy;
    this.#sessions = sessions;
    this.#auditView = new Lazy(async () => {
      const { AuditView } = await import('./auditView');
      return new AuditView(extensionUri, policy.audit, log, () => this.manageRules());
    });
  }

  async showAuditLog(): Promise<void> {
    (await this.#auditView.load()).show();
  }

  async manageRules(): Promise<void> {
    const { RulesPicker } = await import('./rulesPicker');
    await new RulesPicker(this.#policy, this.#sessions).show();
  }

  async addRule(): Promise<void> {
    const { AddRule } = await import('./addRule');
    await new AddRule(this.#policy.remembered, this.#sessions, this.showNotice).show();
  }

  dispose(): void {
    this.#auditView.dispose();
  }
}
