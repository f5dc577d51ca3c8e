import type { EditAndResend, ResendingOptions } from './editAndResend';

/** Going on from earlier messages, read when somebody first does: the window opens without it. */
export function branchesOf(options: ResendingOptions): Pick<EditAndResend, 'resend' | 'fork'> {
  let resending: Promise<EditAndResend> | undefined;
  // One for all: it knows what it is at.
  const load = (): Promise<EditAndResend> =>
    (resending ??= import('./editAndResend').then(({ EditAndResend: Loaded }) => new Loaded(options)));
  return {
    resend: async (...args) => (await load()).resend(...args),
    fork: async (...args) => (await load()).fork(...args),
  };
}
