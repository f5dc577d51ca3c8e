import { resolve } from 'node:path';
import { realPathNames } from '../../node/fs/realPaths';
import type { DecidedRequest } from '../../permissions/auditRecords';
import type { RuleEngine } from '../../permissions/ruleEngine';
import type { ShownChange } from '../../permissions/sessionApprovals';
import type { SessionModel } from '../sessionModel';

/** What a request of the agent showed of files. */

export function shownChanges(model: SessionModel, call: DecidedRequest['call']): readonly ShownChange[] {
  return (call?.content ?? []).flatMap((content) => {
    const texts = content.type === 'diff' ? model.diff(content.diffId) : undefined;
    return texts ? [{ ...texts, paths: namesOf(model, texts.path) }] : [];
  });
}

/** All absolute names of the files that it showed as read whole. */
export function shownReads(
  model: SessionModel,
  { wholeReads }: Pick<RuleEngine, 'wholeReads'>,
  call: DecidedRequest['call'],
): readonly string[] {
  return call ? wholeReads(call).flatMap((path) => namesOf(model, path)) : [];
}

/** All absolute names of a file. */
function namesOf({ cwd, folders }: SessionModel, path: string): readonly string[] {
  return realPathNames(resolve(cwd, path), folders);
}
