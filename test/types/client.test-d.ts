import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type Client,
  type ClientAnswer,
  type ClientSession,
  createClient,
  type HoldfastError,
  type StreamItem,
} from '../../src/client/entry.ts';
import { type LiveSession, useSession } from '../../src/client/react/entry.ts';
import type { SessionView } from '../../src/create-holdfast.ts';
import { defineAgent, type Json } from '../../src/index.ts';
import type { StoredEvent } from '../../src/journal/entry.ts';

const pricing = defineAgent({
  name: 'pricing',
  description: 'Prices.',
  instructions: 'Price it.',
  output: v.object({ amount: v.number(), currency: v.string() }),
});
const clerk = defineAgent({ name: 'clerk', description: 'Talks.', instructions: 'Talk.' });
interface Price {
  amount: number;
  currency: string;
}

// The agent's type alone determines its answers and its calls.
const client = createClient<typeof pricing>({ url: 'https://agents.test', agent: 'pricing' });
expectTypeOf(client).toEqualTypeOf<Client<Price>>();
// @ts-expect-error: the name is another agent's
createClient<typeof pricing>({ url: 'https://agents.test', agent: 'clerk' });

const session = client.session('s1');
expectTypeOf(session).toEqualTypeOf<ClientSession<Price>>();
const answer = await session.send('How much?');
expectTypeOf(answer).toEqualTypeOf<ClientAnswer<Price>>();
expectTypeOf(answer.object).toEqualTypeOf<Price | undefined>();
expectTypeOf(await session.turn('t')).toEqualTypeOf(answer);
expectTypeOf(await session.decide('c', 'approve')).toEqualTypeOf(answer);
expectTypeOf(await session.result('c', { result: 1 })).toEqualTypeOf(answer);
expectTypeOf(await session.answer([{ call: 'c', decision: 'reject', reason: 'No.' }])).toEqualTypeOf(answer);
expectTypeOf(await session.state()).toEqualTypeOf<SessionView>();
expectTypeOf(await session.file('f')).toEqualTypeOf<Blob>();

// The outcome determines the other fields.
if (answer.outcome === undefined) {
  expectTypeOf(answer.status).toEqualTypeOf<
    'accepted' | 'queued' | 'steering' | 'steered' | 'scheduled' | 'running'
  >();
} else if (answer.outcome === 'suspended') {
  const [pending] = answer.pending;
  if (pending) await session.decide(pending, { decision: 'edit', input: { amount: 1 } });
} else {
  expectTypeOf(answer.text).toEqualTypeOf<string>();
}

// The type of a stream's item determines its other fields.
for await (const item of session.stream('How much?')) {
  expectTypeOf(item).toEqualTypeOf<StreamItem<Price>>();
  switch (item.type) {
    case 'text-delta':
      expectTypeOf(item.text).toEqualTypeOf<string>();
      break;
    case 'model-replied':
      expectTypeOf(item.seq).toEqualTypeOf<number>();
      break;
    case 'answer':
      expectTypeOf(item.answer.object).toEqualTypeOf<Price | undefined>();
      break;
    case 'suspended':
      expectTypeOf(item.answer.pending[0]?.call).toEqualTypeOf<string | undefined>();
  }
}
for await (const event of session.events()) expectTypeOf(event).toEqualTypeOf<StoredEvent>();

// An agent without an output replies with text. A type argument sets the output.
const words = await createClient<typeof clerk>({ url: '', agent: 'clerk' }).session().send('Hi');
expectTypeOf(words.object).toEqualTypeOf<Json | undefined>();
expectTypeOf(createClient<{ output: Price }>({ url: '', agent: 'any' })).toEqualTypeOf<Client<Price>>();
expectTypeOf(createClient({ url: '', agent: 'any' })).toEqualTypeOf<Client<Json>>();

createClient({ url: '', agent: 'clerk', token: 't', retries: 0, fetch: (url, init) => fetch(url, init) });
createClient({ url: '', agent: 'clerk', token: async () => 't' });
// @ts-expect-error: a client needs the URL of the agent
createClient({ agent: 'clerk' });
// @ts-expect-error: there is no such decision
await session.decide('c', 'maybe');
// @ts-expect-error: an answer is a decision or a result
await session.answer([{ call: 'c' }]);
// @ts-expect-error: an event is either waited for or not
await session.turn('t', { wait: 5 });
await session.send('Look.', { files: [new Blob(), { bytes: new Uint8Array(), mediaType: 'image/png' }] });
// @ts-expect-error: bytes need a media type
await session.send('Look.', { files: [new Uint8Array()] });
declare const failure: HoldfastError;
expectTypeOf(failure.type).toExtend<string>();
if (failure.type === 'connection-lost') expectTypeOf(failure.status).toEqualTypeOf<number>();
// @ts-expect-error: there is no such error type
if (failure.type === 'conection-lost') throw failure;

// A hook accepts a client, or the options of one.
expectTypeOf(useSession({ client, session: 's1' })).toEqualTypeOf<LiveSession>();
expectTypeOf(useSession({ url: '', agent: 'clerk', token: 't', session: 's1' })).toEqualTypeOf<LiveSession>();
// @ts-expect-error: the agent is missing
useSession({ url: '', session: 's1' });
