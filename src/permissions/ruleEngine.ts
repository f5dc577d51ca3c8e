import { relevantVariables } from './rules/commandVariables';
import { decide } from './rules/decide';
import { readCommand } from './rules/requestFacts';
import { rulesFromAnswer } from './rules/rulesFromAnswer';

/** The rules and the readers of command lines: a separate chunk, loaded with the first agent or call. */
export const ruleEngine = { decide, readCommand, relevantVariables, rulesFromAnswer };

export type RuleEngine = typeof ruleEngine;
