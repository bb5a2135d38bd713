import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelReply } from '../../../src/model/entry.ts';
import { type Plan, type PlannedCall, planText } from './worker/plan.ts';
import { plannedModel } from './worker/planned-model.ts';

const createCall = (label: string): PlannedCall => ({ tool: 'once', label, before: 1, after: 2 });
const createPlan = (message: string, ...steps: string[][]): Plan => ({
  message,
  think: 0,
  steps: steps.map((labels) => labels.map(createCall)),
});
const createPlanMessage = (one: Plan): ModelMessage => ({ role: 'user', text: planText(one) });
const callMessage: ModelMessage = {
  role: 'assistant',
  text: '',
  toolCalls: [{ id: 'x', name: 'once', input: '{}' }],
};
const doneMessage: ModelMessage = { role: 'assistant', text: 'Done.', toolCalls: [] };

const ask = (messages: readonly ModelMessage[], onText?: (piece: string) => void): Promise<ModelReply> =>
  plannedModel.ask({ messages, tools: [] }, { signal: new AbortController().signal, onText });

const listLabels = ({ toolCalls }: ModelReply): readonly string[] => toolCalls.map(({ id }) => id);

describe('the planned model', () => {
  const first = createPlan('m1', ['a', 'b'], ['c']);

  it('requests the steps of the last message in order and then answers', async () => {
    expect(await ask([createPlanMessage(first)])).toEqual({
      text: '',
      toolCalls: [
        { id: 'a', name: 'once', input: '{"label":"a","before":1,"after":2}' },
        { id: 'b', name: 'once', input: '{"label":"b","before":1,"after":2}' },
      ],
      finish: 'tool-calls',
    });
    expect(listLabels(await ask([createPlanMessage(first), callMessage]))).toEqual(['c']);
    const pieces: string[] = [];
    const end = { text: 'Done: m1.', toolCalls: [], finish: 'stop' };
    expect(
      await ask([createPlanMessage(first), callMessage, callMessage], (piece) => pieces.push(piece)),
    ).toEqual(end);
    expect(pieces.join('')).toBe(end.text);
  });

  it('also requests the steps of a steering message', async () => {
    const more = { ...createPlan('m2', ['d']), steers: true };
    const steered = [createPlanMessage(first), callMessage, createPlanMessage(more)];
    expect(listLabels(await ask(steered))).toEqual(['c']);
    expect(listLabels(await ask([...steered, callMessage]))).toEqual(['d']);
    expect((await ask([...steered, callMessage, callMessage])).text).toBe('Done: m1, m2.');
  });

  it('starts a new plan with a message that follows an answer or does not steer', async () => {
    const more = { ...createPlan('m2', ['d']), steers: true };
    expect(
      listLabels(
        await ask([createPlanMessage(first), callMessage, callMessage, doneMessage, createPlanMessage(more)]),
      ),
    ).toEqual(['d']);
    expect(
      listLabels(
        await ask([createPlanMessage(first), callMessage, createPlanMessage(createPlan('m3', ['e']))]),
      ),
    ).toEqual(['e']);
  });
});
