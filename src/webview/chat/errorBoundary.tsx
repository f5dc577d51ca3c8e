import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { t } from '../../base/l10n';
import { Page } from './pageContext';
import type { PageContext } from './pageContext';

interface BoundaryProps {
  /** The displayed name of the part. */
  readonly what: string;
  readonly children: ComponentChildren;
}

/** Limits a rendering error to one part of the page and reports it; the page is never blank. */
export class ErrorBoundary extends Component<BoundaryProps, { failed?: string }> {
  static override contextType = Page;
  declare context: PageContext;
  override state: { failed?: string } = {};

  override componentDidCatch(error: unknown): void {
    this.context.report(error);
    this.setState({ failed: error instanceof Error ? error.message : String(error) });
  }

  override render(): ComponentChildren {
    const { failed } = this.state;
    if (failed === undefined) return this.props.children;
    return (
      <p class="broken" role="note">
        {t('{0} could not be shown: {1}. See the log for details.', this.props.what, failed)}
      </p>
    );
  }
}
