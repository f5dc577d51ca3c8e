import type { ServerResource } from '../../session/serverContent';

/** Names a template in a message of the page. */
export function templateKey({ server, uri }: ServerResource): string {
  return JSON.stringify([server, uri]);
}
