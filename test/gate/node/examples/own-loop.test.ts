/** Tests the loop in docs/coming-from/spring-ai.md. */
import { expect, it } from 'vitest';
import { answerQuestion } from '../../../../src/examples/script/own-loop.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';

it('a custom loop runs the calls of a reply and shows their results to the model', async () => {
  const model = scriptedModel([{ calls: [{ name: 'add', input: { a: 2, b: 3 } }] }, 'It is 5.']);
  expect(await answerQuestion(model, 'What is 2 + 3?', new AbortController().signal)).toBe('It is 5.');
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: '5' });
});
