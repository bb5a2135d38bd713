/** Tests invalid values in the definition of an agent. Each case has the field and the whole message. */
import { expect, it } from 'vitest';
import { AgentDefinitionError } from '../../../../src/index.ts';
import { makeAgent } from './mistake.ts';

const MEDIA_TYPE = "a media type in lower case, such as 'image/*' or 'application/pdf'";

it.each<[string, object, string]>([
  [
    'policies.unknownTools.retries',
    { policies: { unknownTools: { retries: -1 } } },
    "Agent 'clerk' has a policy 'unknownTools.retries' of -1. Use a whole number of at least 0.",
  ],
  [
    'policies.unknownTools.similarity',
    { policies: { unknownTools: { similarity: 2 } } },
    "Agent 'clerk' has a policy 'unknownTools.similarity' of 2. Use a number from 0 to 1.",
  ],
  [
    'policies.blankReplies.retries',
    { policies: { blankReplies: { retries: 0.5 } } },
    "Agent 'clerk' has a policy 'blankReplies.retries' of 0.5. Use a whole number of at least 0.",
  ],
  [
    'policies.resultCharacters',
    { policies: { resultCharacters: -1 } },
    "Agent 'clerk' has a policy 'resultCharacters' of -1. Use a whole number of at least 0.",
  ],
  [
    'policies.returnDirect',
    { policies: { returnDirect: 'some' } },
    "Agent 'clerk' has a policy 'returnDirect' of some. Use 'all' or 'any'.",
  ],
  [
    'policies.unknownTools.mode',
    { policies: { unknownTools: { mode: 'quiet' } } },
    "Agent 'clerk' has a policy 'unknownTools.mode' of quiet. Use 'feedback' or 'immediate'.",
  ],
  [
    'policies.blankReplies.end',
    { policies: { blankReplies: { end: 'x' } } },
    "Agent 'clerk' has a policy 'blankReplies.end' of x. Use 'failed' or 'completed'.",
  ],
  ...(
    [
      ['total', 0],
      ['total', 1.5],
      ['silence', Number.NaN],
      ['silence', 86_400_001],
    ] as const
  ).map(([path, value]): [string, object, string] => [
    'settings.timeout',
    { settings: { timeout: { [path]: value } } },
    `Agent 'clerk' has a setting 'timeout' of ${JSON.stringify({ [path]: value })}. Use { total, silence }, each a whole number of ms from 1 to 86400000.`,
  ]),
  [
    'accepts[1]',
    { accepts: ['image/*', 'PDF'] },
    `Agent 'clerk' has 'PDF' at accepts[1]. Use ${MEDIA_TYPE}.`,
  ],
  ['accepts[0]', { accepts: [7] }, `Agent 'clerk' has 7 at accepts[0]. Use ${MEDIA_TYPE}.`],
  ...['*/*', '*', 'image/', 'Image/PNG', 'text/plain; charset=utf-8', 'image/*x', ''].map(
    (type): [string, object, string] => [
      'accepts[0]',
      { accepts: [type] },
      `Agent 'clerk' has '${type}' at accepts[0]. Use ${MEDIA_TYPE}.`,
    ],
  ),
  [
    'accepts',
    { accepts: 'image/*' },
    "Agent 'clerk' has 'image/*' as its 'accepts'. Use a list, as in [one, another].",
  ],
])('defineAgent throws an error that explains the mistake in %s', (field, config, message) => {
  let thrown: unknown;
  try {
    makeAgent(config)();
  } catch (failure) {
    thrown = failure;
  }
  expect(thrown).toBeInstanceOf(AgentDefinitionError);
  expect(thrown).toMatchObject({ field, message });
});
