import * as v from 'valibot';
import type { ModuleUse } from '../../../../src/index.ts';
import { type AnyTool, type CallContext, defineTool } from '../../../../src/index.ts';
import {
  after,
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  defineUnfolding,
} from '../../../../src/kinds/entry.ts';
import { defineModule } from '../../../../src/module.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { sendLater } from '../../../../src/modules/schedules/entry.ts';
import { type Plan, planText } from './plan.ts';
import type { AppOptions, Outside } from './port.ts';

const input = v.looseObject({ label: v.string(), before: v.number(), after: v.number() });
type Input = v.InferOutput<typeof input>;

/** Waits before and after the effect, so that a process can die in either phase. */
async function runEffect(
  outside: Outside,
  { label, before, after }: Input,
  call: CallContext,
): Promise<{ readonly did: string }> {
  const { idempotencyKey: key, session, id, signal } = call;
  const ticket = outside.ticket(key);
  await outside.pause(before);
  signal.throwIfAborted();
  await outside.act({ key, session, call: id, label, ticket });
  await outside.pause(after);
  return { did: label };
}

const createActingConfig = <Name extends string>(outside: Outside, name: Name) =>
  ({
    name,
    description: `Does what the plan says: ${name}.`,
    input,
    run: (asked: Input, call: CallContext) => runEffect(outside, asked, call),
  }) as const;

const createReconciler =
  (outside: Outside) =>
  async ({ label }: Input, call: CallContext) => {
    const known = await outside.recall(call.idempotencyKey);
    return known === 'done' ? { done: { did: label } } : known;
  };

/** Creates a tool for each effect. */
export function createSimpleTools(outside: Outside) {
  const read = defineTool({
    name: 'read',
    description: 'Looks something up.',
    effect: 'read',
    input,
    run: ({ before }) => outside.pause(before).then(() => ({ found: 1 })),
  });
  const idempotent = defineTool({ ...createActingConfig(outside, 'idempotent'), effect: 'idempotent' });
  const once = defineTool({ ...createActingConfig(outside, 'once'), effect: 'once' });
  const reconciled = defineTool({
    ...createActingConfig(outside, 'reconciled'),
    effect: 'once',
    reconcile: createReconciler(outside),
  });
  const approved = requireApproval(
    defineTool({
      ...createActingConfig(outside, 'approved'),
      effect: 'once',
      reconcile: createReconciler(outside),
    }),
    ({ label }) => `Do ${label}?`,
    { expires: APPROVAL_EXPIRES_MS },
  );
  const fails = defineTool({
    name: 'fails',
    description: 'Fails before it does anything.',
    effect: 'idempotent',
    input,
    async run({ before }) {
      await outside.pause(before);
      throw new Error('The tool failed as planned.');
    },
  });
  return { read, idempotent, once, reconciled, approved, fails };
}

/** The expiry of an undecided approval, in ms. */
const APPROVAL_EXPIRES_MS = 90_000;

const manual = defineManualTool({
  name: 'manual',
  description: 'Is run by the caller.',
  input,
  expires: 120_000,
});

const scheduleTool = defineTool({
  name: 'later',
  description: 'Schedules a turn.',
  effect: 'idempotent',
  input: v.looseObject({
    label: v.string(),
    delaySeconds: v.number(),
    plan: v.looseObject({ message: v.string() }),
  }),
  async run({ delaySeconds, plan }, call) {
    const planned = plan as unknown as Plan; // the input is from the planned model
    return { turn: await sendLater(call, { message: planText(planned), delaySeconds }) };
  },
});

type Labels = { readonly [label: string]: number };

/** A module that stores labels. A version cannot read the snapshots of another version. */
const defineTally = (version: AppOptions['version']) =>
  defineModule({
    name: 'tally',
    state: {
      initial: {},
      version: version === 'v1' ? 1 : 2,
      when: 'call',
      apply: (labels: Labels, { label }: { readonly label: string }) => ({
        ...labels,
        [version === 'v1' ? label : `${label}!`]: (labels[label] ?? 0) + 1,
      }),
    },
  });

const loopInput = v.looseObject({ label: v.string() });

/** Creates the agent's tools and their module for a version. */
export function createAppTools({ outside, version }: AppOptions): {
  readonly tools: readonly AnyTool[];
  readonly kinds: readonly ModuleUse[];
} {
  const { fails, ...simple } = createSimpleTools(outside);
  const kind = defineTally(version);
  const tally = defineTool({
    name: 'tally',
    description: 'Remembers a label.',
    serial: 'tally',
    effect: 'idempotent',
    input,
    async run({ label, before }, call) {
      await outside.pause(before);
      call.state.set('last', label);
      kind.remember(call, { label });
      return { remembered: label };
    },
  });
  const work = defineAgenticTool({
    name: 'work',
    description: 'Works in a loop of its own.',
    input: loopInput,
    tools: [...Object.values(simple), tally],
  });
  const createStep = (name: 'confirm' | 'ship' | 'prepare' | 'finish') =>
    defineTool({
      ...createActingConfig(outside, name),
      effect: 'once',
      reconcile: createReconciler(outside),
    });
  const order = defineStateMachine({
    name: 'order',
    description: 'Works on one order.',
    input: loopInput,
    key: ({ label }) => label,
    initial: 'open',
    states: {
      open: [{ tool: createStep('confirm'), to: 'confirmed' }],
      confirmed: [{ tool: createStep('ship'), to: 'shipped' }],
      shipped: [],
    },
  });
  const recipe = definePlaybook({
    name: 'recipe',
    description: 'Works step by step.',
    input: loopInput,
    key: ({ label }) => label,
    tools: [createStep('prepare')],
    locked: [{ tool: createStep('finish'), unlockedBy: after('prepare') }],
  });
  const desk = defineUnfolding({
    name: 'desk',
    description: 'Brings two more tools.',
    tools: [
      defineTool({ ...createActingConfig(outside, 'filed'), effect: 'once' }),
      defineTool({ ...createActingConfig(outside, 'noted'), effect: 'idempotent' }),
    ],
  });
  const legacy = defineTool({
    name: 'legacy',
    description: 'Is not in every version.',
    effect: 'read',
    input,
    run: () => ({}),
  });
  const extra = defineTool({ name: 'extra', description: 'Is new.', effect: 'read', input, run: () => ({}) });
  const tools = [
    ...Object.values(simple),
    fails,
    manual,
    scheduleTool,
    tally,
    work,
    order,
    recipe,
    desk,
    version === 'v1' ? legacy : extra,
  ];
  return { tools, kinds: [kind.use()] };
}
