import { withPrintedFiles } from './printedFiles';
import { relevantVariables } from './rules/commandVariables';
import { decide } from './rules/decide';
import { gitQueries } from './rules/gitQueries';
import { readCommand } from './rules/requestFacts';
import { rulesFromAnswer } from './rules/rulesFromAnswer';
import { argumentFacts, callRequest } from './subject/callRequest';
import { replacedFile } from './subject/replacedFile';
import { shownFiles } from './subject/shownFiles';
import { namesCommand, needsInput, subjectTitle, toolSubject, wholeReads } from './subject/toolSubject';

/** The rules and the readers of tool calls and command lines: a separate chunk, loaded with the first agent or call. */
export const ruleEngine = {
  decide,
  readCommand,
  relevantVariables,
  rulesFromAnswer,
  gitQueries,
  argumentFacts,
  callRequest,
  namesCommand,
  needsInput,
  replacedFile,
  shownFiles,
  subjectTitle,
  toolSubject,
  wholeReads,
  withPrintedFiles,
};

export type RuleEngine = typeof ruleEngine;
