import { strict as assert } from 'node:assert';
import { openSession } from './client.ts';
import type { Effect } from './counted-effects.ts';
import type { Stage } from './stage.ts';
import { short, styled, timeline } from './timeline.ts';

/** What the tour has done by `once` calls, as the counter writes it. */
export const tourEffects: readonly Effect[] = [{ service: 'refunds', what: '{"orderId":1003,"amount":149}' }];

/** Three turns with the offline planner: an answer after several iterations, one from memory after a restart, a stream. */
export async function tour(stage: Stage): Promise<void> {
  await stage.start({ MODEL: 'offline' });
  const first = await openSession(stage.url, 'tour').send('Where is order 1002?');
  assert(first.iterations >= 2 && /Bilbao/.test(first.text), `The place is not in the answer: ${first.text}`);
  await show(stage, first.text);

  await stage.end('stop');
  await stage.start();
  console.log(`\n  ${styled('yellow', 'wrangler dev was restarted; the session is where it was.')}`);
  const second = await openSession(stage.url, 'tour').send('What was its total?');
  assert(second.toolCalls === 0 && /118\.5/.test(second.text), `Not answered from memory: ${second.text}`);
  await show(stage, second.text);

  const streamed: string[] = [];
  const client = openSession(stage.url, 'tour');
  await client.stream('Please refund order 1003', (type, data) => {
    streamed.push(
      type === 'text-delta' ? `text-delta ${JSON.stringify((data as { text: string }).text)}` : type,
    );
  });
  assert(streamed.at(-1) === 'answer', `The stream ended with ${streamed.at(-1)}.`);
  await show(stage, `streamed: ${streamed.join(', ')}`, 200);
}

async function show(stage: Stage, answer: string, length = 110): Promise<void> {
  console.log(`\n${timeline(await openSession(stage.url, 'tour').events())}`);
  console.log(`    ${styled('green', `→ ${short(answer, length)}`)}`);
}
