import { renderPrompt } from '../../../session/promptFiles/expandPrompt';
import type { PromptFileStore } from '../../../session/promptFiles/promptFileStore';
import { isSecretName } from '../../../session/userRequests/secretField';
import type { ElicitationReply, FormField } from '../../../shared/state/elicitationState';
import type { Tool, ToolPrompt, ToolServer } from '../../contract/toolServerTypes';
import { tool } from '../../contract/toolServerTypes';

export function userServer(prompts: PromptFileStore): ToolServer {
  return {
    name: 'user',
    title: 'User',
    description: 'Asks the user who works with you',
    instructions: 'Ask when a decision is the user’s to make and you cannot find the answer yourself.',
    tools: [askTool()],
    prompts: () => promptsOf(prompts),
    onDidChange: prompts.onDidChange,
  };
}

function promptsOf(prompts: PromptFileStore): readonly ToolPrompt[] {
  return prompts.all().flatMap((prompt) => {
    if ('problem' in prompt) return [];
    const { file, label } = prompt;
    return [
      {
        name: file.name,
        description: file.description || label,
        arguments: file.arguments,
        render: async (values: Readonly<Record<string, string>>) => renderPrompt(file, values),
      },
    ];
  });
}

const CHOICE = 'choice';
const TEXT = 'text';

function askTool(): Tool {
  return tool({
    name: 'ask',
    title: 'Ask the user',
    description: 'Asks the user a question, with answers to choose from, a free text, or both',
    annotations: { readOnlyHint: true },
    approval: 'free',
    asksUser: true,
    input: (z) =>
      z.object({
        question: z.string().min(1).describe('One question, in full'),
        options: z.array(z.string().min(1)).max(12).optional().describe('Answers to choose from'),
        allow_text: z.boolean().optional().describe('The user may write something else; true without options'),
      }),
    output: (z) =>
      z.object({
        answer: z.string().optional().describe('The option that was chosen, or the text'),
        dismissed: z.boolean().describe('The user did not want to answer'),
      }),
    call: async ({ question, options = [], allow_text: allowText }, { session, signal, waitForUser }) => {
      const fields = fieldsOf(question, options, allowText ?? options.length === 0);
      const elicitation = session.userRequests.elicit({
        message: question,
        question: { mode: 'form', fields },
        signal,
      });
      const answer = answerIn(await waitForUser(elicitation.answer));
      if (answer === undefined) return { text: 'The user did not answer.', structured: { dismissed: true } };
      return { text: answer, structured: { answer, dismissed: false } };
    },
  });
}

function fieldsOf(question: string, options: readonly string[], allowText: boolean): readonly FormField[] {
  const values = [...new Set(options)];
  const choices = values.map((value) => ({ value, label: value }));
  return [
    ...(choices.length > 0
      ? [{ key: CHOICE, label: 'Answer', required: !allowText, type: 'choice' as const, choices }]
      : []),
    ...(allowText
      ? [
          {
            key: TEXT,
            label: choices.length > 0 ? 'Something else' : 'Answer',
            required: choices.length === 0,
            type: 'text' as const,
            // As in a form of the agent, by the words of its title.
            ...(isSecretName(question) && { isSecret: true }),
          },
        ]
      : []),
  ];
}

/** Typed text takes precedence over a selected option; undefined if both are missing. */
function answerIn(answer: ElicitationReply): string | undefined {
  if (answer.action !== 'accept') return undefined;
  const given = [answer.content?.[TEXT], answer.content?.[CHOICE]];
  return given.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}
