import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { t } from '../../base/l10n';

interface BoundaryProps {
  /** The displayed name of the part. */
  readonly what: string;
  readonly report: (error: unknown) => void;
  readonly children: ComponentChildren;
}

/** Limits a rendering error to one part of the page and reports it; the page is never blank. */
export class ErrorBoundary extends Component<BoundaryProps, { failed?: string }> {
  override state: { failed?: string } = {};

  override componentDidCatch(error: unknown): void {
    this.props.report(error);
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
