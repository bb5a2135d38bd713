import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type RunAnswer, type RunEvent, runAgent } from '../../src/in-memory/entry.ts';
import { type ChatModel, content, defineAgent } from '../../src/index.ts';

declare const model: ChatModel;
const base = { description: 'Counts.', instructions: '' } as const;
const counter = defineAgent({ ...base, name: 'counter', output: v.object({ total: v.number() }) });
const clerk = defineAgent({ ...base, name: 'clerk' });

// The agent determines the type of the answer.
const answer = await runAgent(counter, 'Count.', { model });
expectTypeOf(answer).toEqualTypeOf<RunAnswer<{ total: number }>>();
expectTypeOf(answer.object).toEqualTypeOf<{ total: number } | undefined>();
expectTypeOf(answer.text).toEqualTypeOf<string>();

// `pending` exists only if the outcome is suspended.
if (answer.outcome === 'suspended') expectTypeOf(answer.pending[0]?.tool).toEqualTypeOf<string | undefined>();
// @ts-expect-error: it may have ended
answer.pending;

// A message can contain files, and options can be omitted or undefined.
await runAgent(clerk, content(['What is this?']).parts);
await runAgent(clerk, 'Hi.', {
  env: { REGION: 'weur' },
  secrets: { key: 'four', none: undefined },
  signal: undefined,
});

// @ts-expect-error: secrets are texts
await runAgent(clerk, 'Hi.', { secrets: { key: 4 } });
// @ts-expect-error: a name is not an agent
await runAgent({ name: 'clerk' }, 'Hi.');

// The messages of one run are the history of the next, and events arrive as they happen.
await runAgent(clerk, 'And?', {
  history: answer.messages,
  onEvent: (event) => expectTypeOf(event).toEqualTypeOf<RunEvent>(),
});
await runAgent(clerk, 'And?', { history: [{ role: 'user', text: 'Hi.' }] });
// @ts-expect-error: the text is missing
await runAgent(clerk, 'And?', { history: [{ role: 'user', content: 'Hi.' }] });
// @ts-expect-error: there is no such option
await runAgent(clerk, 'And?', { histry: [] });
