import type { Resending, ResendingOptions } from './editAndResend';

/** Going on from earlier messages, read when somebody first does: the window opens without it. */
export function branchesOf(options: ResendingOptions): Pick<Resending, 'resend' | 'fork'> {
  let resending: Promise<Resending> | undefined;
  // One for all: it knows what it is at.
  const load = (): Promise<Resending> =>
    (resending ??= import('./editAndResend').then(({ Resending: Loaded }) => new Loaded(options)));
  return {
    resend: async (...args) => (await load()).resend(...args),
    fork: async (...args) => (await load()).fork(...args),
  };
}
