import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  createHoldfast,
  type Session,
  type SessionAnswer,
  type SessionError,
  type SessionErrorType,
  type SessionView,
  type ShownEvent,
  sessionOf,
} from '../../src/create-holdfast.ts';
import { content, defineAgent, defineDomainType, type Json } from '../../src/index.ts';
import type { StoredEvent } from '../../src/journal/entry.ts';

const Price = v.object({ amount: v.number(), currency: v.string() });
const Quote = defineDomainType({ name: 'Quote', schema: Price });
const pricing = defineAgent({
  name: 'pricing',
  description: 'Prices.',
  instructions: 'Price it.',
  output: Price,
});
const clerk = defineAgent({ name: 'clerk', description: 'Talks.', instructions: 'Talk.' });

const holdfast = createHoldfast({ agents: [pricing, clerk] });
// `wrangler types` generates an interface, which has no index signature.
interface Bindings {
  readonly SESSIONS: object;
}
declare const env: Bindings;
const ann = { id: 'ann', tenant: 'acme', roles: ['buyer'] };

const chat = sessionOf(holdfast, env, { agent: pricing, session: 's1', principal: ann });
expectTypeOf(chat).toEqualTypeOf<Session<{ amount: number; currency: string }>>();

// The object and artifacts of an answer have the declared types.
const answer = await chat.send('How much?');
expectTypeOf(answer.object).toEqualTypeOf<{ amount: number; currency: string } | undefined>();
expectTypeOf(answer.artifactsOf(Quote)).toEqualTypeOf<readonly { amount: number; currency: string }[]>();
expectTypeOf(answer.text).toEqualTypeOf<string | undefined>();
expectTypeOf(await chat.decide('c', 'approve')).toEqualTypeOf(answer);
expectTypeOf(await chat.result('c', { result: 1 })).toEqualTypeOf(answer);
expectTypeOf(await chat.turn('t')).toEqualTypeOf(answer);

// The outcome determines the other fields.
if (answer.outcome === undefined) {
  expectTypeOf(answer.text).toEqualTypeOf<undefined>();
  expectTypeOf(answer.status).toEqualTypeOf<
    'accepted' | 'queued' | 'steering' | 'steered' | 'scheduled' | 'running'
  >();
} else if (answer.outcome === 'suspended') {
  expectTypeOf(answer.pending[0]?.call).toEqualTypeOf<string | undefined>();
  expectTypeOf(answer.status).toEqualTypeOf<'suspended'>();
} else {
  expectTypeOf(answer.text).toEqualTypeOf<string>();
  expectTypeOf(answer.outcome).toEqualTypeOf<
    'completed' | 'returned-direct' | 'limit-reached' | 'cancelled' | 'failed'
  >();
}

// If the agent is a name, its output is unknown.
const byName = sessionOf(holdfast, env, { agent: 'clerk', session: 's1', principal: { id: 'ann' } });
expectTypeOf(byName).toEqualTypeOf<Session<unknown>>();
expectTypeOf((await byName.send('Hi.')).object).toEqualTypeOf<Json | undefined>();
expectTypeOf<SessionAnswer>().toHaveProperty('artifactsOf');

await chat.send(content(['What is this?']).parts, {
  context: { locale: 'de' },
  idempotencyKey: 'mail-1',
  whenBusy: 'queue',
  pending: 'decline',
  delaySeconds: 1,
  background: true,
  signal: AbortSignal.timeout(1),
  onEvent: (event) => expectTypeOf(event).toEqualTypeOf<ShownEvent>(),
});
await chat.decide('c', { decision: 'edit', input: { amount: 1 }, reason: 'Less.' }, { question: 2 });
expectTypeOf(await chat.state()).toEqualTypeOf<SessionView>();
for await (const event of chat.events({ after: 3, live: true })) {
  expectTypeOf(event).toEqualTypeOf<StoredEvent>();
  if (event.type === 'turn-ended') expectTypeOf(event.turn).toEqualTypeOf<string>();
}

// @ts-expect-error: the principal is missing
sessionOf(holdfast, env, { agent: clerk, session: 's1' });
// @ts-expect-error: it is queue or steer
chat.send('Hi.', { whenBusy: 'wait' });
// @ts-expect-error: a result has one of three forms
chat.result('c', { result: 1, text: 'one' });
// @ts-expect-error: there is no such decision
chat.decide('c', 'allow');

declare const failure: SessionError;
expectTypeOf(failure.type).toEqualTypeOf<SessionErrorType>();
expectTypeOf<'session-busy' | 'turn-suspended'>().toExtend<SessionErrorType>();
// @ts-expect-error: only HTTP has methods
failure.type === 'method-not-allowed';
