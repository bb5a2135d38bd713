import * as v from 'valibot';
import { sessionOf } from '../../../../src/create-holdfast.ts';
import { type AnyTool, type CallContext, defineTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { requireApproval, withName } from '../../../../src/modules/decorators/entry.ts';
import { scheduleMessage, sendLater } from '../../../../src/modules/schedules/entry.ts';
import { causeEffect, wait } from './outside.ts';
import { peers } from './peers.ts';
import { hasHole } from './settings.ts';

const amount = v.object({ amount: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)) });

/** A tool that pays money and runs at most once. */
const createPayTool = (name: string) =>
  defineTool({
    name,
    description: 'Pays an amount.',
    input: amount,
    effect: 'once',
    run: ({ amount: paid }, call) => causeEffect(call, name, paid),
  });

export const pay = createPayTool('pay');

const note = defineTool({
  name: 'note',
  description: 'Notes something; twice is as good as once.',
  input: v.object({ text: v.string() }),
  effect: 'idempotent',
  run: ({ text }, call) => causeEffect(call, 'note', text),
});

const memo = withName(note, 'memo');

/** The records of each tenant. The principal of the call selects them. */
export const RECORDS: Readonly<Record<string, string>> = {
  acme: 'ACME-BOOKS-4411',
  zeta: 'ZETA-BOOKS-7702',
};

export const records = defineTool({
  name: 'records',
  description: 'Shows the records of the tenant.',
  input: v.object({ tenant: v.optional(v.string()) }),
  effect: 'read',
  run: (asked, { principal, context }) => {
    const named = hasHole('context-tenant') ? context.get('tenant') : principal.tenant;
    return { records: RECORDS[String(named)] ?? 'none', asked: asked.tenant ?? null };
  },
});

const whoami = defineTool({
  name: 'whoami',
  description: 'Shows who asked, and the context.',
  effect: 'read',
  run: (_, { principal, context, inSession }) => ({ principal, context: context.toJSON(), inSession }),
});

export const leakTool = defineTool({
  name: 'leak',
  description: 'Says too much.',
  input: v.object({ as: v.optional(v.picklist(['plain', 'json', 'url', 'error', 'base64', 'basic'])) }),
  effect: 'read',
  run: ({ as = 'plain' }, call) => speakSecret(as, call),
});

function speakSecret(as: string, { secrets, progress, say }: CallContext): unknown {
  const secret = secrets.get('API_KEY') ?? '';
  if (as === 'json') return { nested: [{ secret }] };
  if (as === 'url') return `https://x.example/?key=${encodeURIComponent(secret)}`;
  if (as === 'error') throw new Error(`The service refused ${secret}.`, { cause: new Error(secret) });
  if (as === 'base64') return `It is ${btoa(secret)}.`;
  if (as === 'basic') return `Authorization: Basic ${btoa(`user:${secret}`)}`;
  progress(`with ${secret}`);
  say(`I know ${secret}`);
  return `It is ${secret}.`;
}

const hangTool = defineTool({
  name: 'hang',
  description: 'Waits.',
  input: v.object({ gate: v.string() }),
  effect: 'read',
  run: ({ gate }, call) => wait(gate, call),
});

const breedTool = defineTool({
  name: 'breed',
  description: 'Schedules turns.',
  input: v.object({ count: v.number(), delaySeconds: v.number(), message: v.string() }),
  effect: 'read',
  run: ({ count, delaySeconds, message }, call) =>
    Promise.all(Array.from({ length: count }, () => sendLater(call, { message, delaySeconds }))),
});

const swarmTool = defineTool({
  name: 'swarm',
  description: 'Schedules as many turns as it can of these.',
  input: v.object({ count: v.number(), message: v.string() }),
  effect: 'read',
  run: async ({ count, message }, call) => {
    const asked = Array.from({ length: count }, () => sendLater(call, { message, delaySeconds: 0 }));
    const refused = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
    return { refused: refused.length };
  },
});

const passOnTool = defineTool({
  name: 'pass_on',
  description: 'Sends a message to other sessions.',
  input: v.object({ message: v.string(), sessions: v.array(v.string()) }),
  effect: 'idempotent',
  async run({ message, sessions }, { env, principal }) {
    for (const session of sessions) {
      if (!peers.app) continue;
      const peer = sessionOf(peers.app, env, { agent: 'clerk', session, principal });
      await peer.send(message, { whenBusy: 'queue', background: true });
    }
  },
});

const peekTool = defineTool({
  name: 'peek',
  description: 'Reads a file.',
  input: v.object({ id: v.string() }),
  effect: 'read',
  run: async ({ id }, call) => ({ found: (await call.file(id)) !== undefined }),
});

const measure = defineManualTool({
  name: 'measure',
  description: 'Is measured by the client.',
  input: v.object({ what: v.string() }),
});

const manager = hasHole('no-roles') ? {} : { by: 'manager' };

/** The tools of the agent `clerk`, each of a different kind. */
export const clerksTools: readonly AnyTool[] = [
  ...[
    pay,
    note,
    records,
    whoami,
    leakTool,
    hangTool,
    breedTool,
    swarmTool,
    passOnTool,
    peekTool,
    measure,
    scheduleMessage(),
  ],
  requireApproval(createPayTool('refund'), ({ amount: paid }) => `Refund ${paid}?`, manager),
  requireApproval(createPayTool('buy'), 'Buy it?'),
  requireApproval(createPayTool('transfer'), 'Transfer it?', { notBy: 'requester' }),
  requireApproval(memo, ({ text }) => `Note ${text}?`),
  requireApproval(createPayTool('brief'), 'Quick?', { expires: 300, onExpiry: 'reject' }),
  requireApproval(
    defineUnfolding({
      name: 'vault',
      description: 'The vault.',
      tools: [createPayTool('take_gold')],
      scope: 'session',
    }),
    'Open the vault?',
    manager,
  ),
];
