import type { EditAndResend, ResendingOptions } from './editAndResend';

/** Loads the code of `EditAndResend` on first use, to keep activation fast. */
export function branchesOf(options: ResendingOptions): Pick<EditAndResend, 'resend' | 'fork'> {
  let resending: Promise<EditAndResend> | undefined;
  // One instance for all: it tracks running operations.
  const load = (): Promise<EditAndResend> =>
    (resending ??= import('./editAndResend').then(({ EditAndResend: Loaded }) => new Loaded(options)));
  return {
    resend: async (...args) => (await load()).resend(...args),
    fork: async (...args) => (await load()).fork(...args),
  };
}
