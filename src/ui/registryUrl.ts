import { t } from '../base/l10n';
import { escapeInvisibleInline } from '../base/untrustedText';
import { showWarningMessage } from '../workbench/windowMessages';
import type { WorkspaceApprovals } from './trust/workspaceApprovals';

interface RegistrySetting {
  readonly userUrl: string;
  /** Overrides the user's. */
  readonly workspaceUrl?: string;
}

const SUBJECT = 'registry.url';

/** The registry URL. A workspace's URL is used only after the user allowed exactly that one (docs/security.md, row 3). */
export class RegistryUrl {
  constructor(
    private readonly setting: () => RegistrySetting,
    private readonly approvals: WorkspaceApprovals,
  ) {}

  get url(): string {
    const { userUrl, workspaceUrl } = this.setting();
    return workspaceUrl !== undefined && this.approvals.decision(SUBJECT, workspaceUrl) === 'allowed'
      ? workspaceUrl
      : userUrl;
  }

  /** Asks about the workspace's URL if needed. Undefined when the user closed the prompt. */
  async confirmUrl(): Promise<string | undefined> {
    const { userUrl, workspaceUrl } = this.setting();
    if (
      workspaceUrl === undefined ||
      workspaceUrl === userUrl ||
      this.approvals.decision(SUBJECT, workspaceUrl) !== undefined
    )
      return this.url;
    const message = t('This workspace sets a different URL for the agent registry.');
    const detail = t(
      'Workspace URL: {0}\nYour URL: {1}\n\nThe registry determines which programs Parley offers to install.',
      escapeInvisibleInline(workspaceUrl),
      userUrl,
    );
    const [theirs, mine] = [t('Use Workspace URL'), t('Use My URL')];
    const answer = await showWarningMessage(message, { modal: true, detail }, theirs, mine);
    if (answer === undefined) return undefined;
    await this.approvals.store(SUBJECT, workspaceUrl, answer === theirs ? 'allowed' : 'refused');
    return this.url;
  }
}
