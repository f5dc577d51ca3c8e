import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Quirks } from './catalog';
import type { Json, RawClient } from './rawClient';
import { RpcFailure } from './rawClient';
import type { PermissionAnswer } from './scenarios';

/** Acts as user and editor: responds to the agent's requests. */
export class Person {
  private readonly answer: PermissionAnswer;
  private readonly quirks: Quirks;

  constructor(answer: PermissionAnswer, quirks: Quirks) {
    this.answer = answer;
    this.quirks = quirks;
  }

  async serve(client: RawClient, method: string, params: Json): Promise<unknown> {
    switch (method) {
      case 'session/request_permission':
        return this.permit(client, params);
      case 'fs/read_text_file':
        return this.read(String(params['path']), params);
      case 'fs/write_text_file': {
        const path = String(params['path']);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, String(params['content']));
        return {};
      }
      default:
        throw new RpcFailure(-32_601, `The probe does not serve ${method}.`);
    }
  }

  private permit(client: RawClient, params: Json): unknown {
    if (this.answer === 'cancel') {
      client.notify('session/cancel', { sessionId: params['sessionId'] });
      return { outcome: { outcome: 'cancelled' } };
    }
    const options = params['options'] as readonly { optionId: string; kind: string }[];
    // Not every permission request has an "always" option; the user then allows once.
    const chosen = [this.answer, 'allow_once'].map((kind) => options.find((option) => option.kind === kind));
    const option = chosen.find((found) => found !== undefined);
    if (option === undefined) throw new RpcFailure(-32_602, `No option ${this.answer} in ${JSON.stringify(options)}.`);
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }

  private async read(path: string, params: Json): Promise<unknown> {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined && !this.quirks.missingFileIsEmpty) throw new RpcFailure(-32_002, `There is no ${path}.`);
    const { line, limit } = params;
    if (typeof line !== 'number' && typeof limit !== 'number') return { content: text ?? '' };
    const start = typeof line === 'number' ? line - 1 : 0;
    const lines = (text ?? '').split(/(?<=\n)/);
    return { content: lines.slice(start, typeof limit === 'number' ? start + limit : undefined).join('') };
  }
}
