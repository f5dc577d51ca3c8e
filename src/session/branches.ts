import type { Resending, ResendingOptions } from './resend';

/** Going on from earlier messages, read when somebody first does: the window opens without it. */
export function branchesOf(options: ResendingOptions): Pick<Resending, 'resend' | 'fork'> {
  const load = async (): Promise<Resending> => {
    const { Resending: Loaded } = await import('./resend');
    return new Loaded(options);
  };
  return {
    resend: async (...args) => (await load()).resend(...args),
    fork: async (...args) => (await load()).fork(...args),
  };
}
