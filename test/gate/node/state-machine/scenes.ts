import * as v from 'valibot';
import type { ModuleUse } from '../../../../src/index.ts';
import {
  type AnyTool,
  type CallContext,
  defineAgent,
  defineTool,
  type Effect,
  type Json,
} from '../../../../src/index.ts';
import { defineStateMachine, type StateMachine } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { getModelText } from '../../../doors/tools.ts';

/** Makes a reply that calls these tools. Each is a tool name, or a name with its input. */
export const callTools = (...wanted: readonly (string | readonly [name: string, input: unknown])[]) => ({
  calls: wanted.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** Makes a reply that calls the state machine for these orders. */
export const orderCalls = (...ids: readonly string[]) =>
  callTools(...ids.map((orderId) => ['orders', { orderId }] as const));

/** Returns a turn that calls the machine for an order and makes these calls one after another. */
export const createTurnReplies = (orderId: string, ...names: readonly string[]): ScriptedReply[] => [
  orderCalls(orderId),
  ...names.map((name) => callTools(name)),
  'So.',
  'Done.',
];

/** Returns the result of a call in the wrong state. */
export const formatWrongState = (current: string, ...states: readonly string[]): string =>
  `This tool is not available in the current state (${current}). ` +
  `It is only available in ${states.length === 1 ? 'state' : 'states'}: ${states.join(', ')}`;

/** Returns the memory with these positions of the machine `orders`. */
export const createPositions = (keys: Readonly<Record<string, string>>) => ({ 'clerk/orders': keys });

/** Returns a list of actions, and a factory for tools that add to it and report their actions. */
export function createWorkshop() {
  const done: string[] = [];
  const createWorkshopTool = <const Name extends string>(
    name: Name,
    run: (call: CallContext) => unknown = () => `${name} done`,
    effect: Effect = 'once',
  ) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      effect,
      run: (_, call) => {
        done.push(name);
        return run(call);
      },
    });
  return { done, tool: createWorkshopTool };
}

export const OrderInput = v.object({
  orderId: v.pipe(v.string(), v.trim()),
  again: v.optional(v.boolean(), false),
});

type OrderStates = 'draft' | 'confirmed' | 'shipped';
type OrdersMachine = StateMachine<'orders', v.InferOutput<typeof OrderInput>, OrderStates>;
type MachineConfig = Parameters<typeof defineStateMachine<'orders', OrderStates, typeof OrderInput>>[0];

/** Returns a machine that confirms and ships orders, with one position for each order. */
export function createOrderMachine(changes: Partial<MachineConfig> = {}) {
  const { done, tool } = createWorkshop();
  const [addItem, confirm, ship, status] = [tool('add_item'), tool('confirm'), tool('ship'), tool('status')];
  const machine: OrdersMachine = defineStateMachine({
    name: 'orders',
    description: 'Processes one order.',
    input: OrderInput,
    key: ({ orderId }) => orderId,
    reset: ({ again }) => again,
    initial: 'draft',
    states: {
      draft: [addItem, { tool: confirm, to: 'confirmed' }],
      confirmed: [{ tool: ship, to: 'shipped' }],
      shipped: [],
    },
    everywhere: [status],
    ...changes,
  });
  return { machine, done };
}

/** Returns a session of the agent `clerk` with these tools. */
export const startSession = (
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  use: readonly ModuleUse[] = [],
  warm = false,
): TestSession =>
  createTestSession(defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools }), {
    use,
    replies,
    warm,
  });

/** Returns the positions of the machines in a session. */
export const readPositions = async (session: TestSession): Promise<Json | undefined> =>
  (await session.state()).memories.get('state-machines');

/** Returns the result of each inner call with the name of its tool, in the order in which the calls ended. */
export async function listInnerAnswers(session: TestSession): Promise<string[]> {
  const names = new Map<string, string>();
  const answers: string[] = [];
  for (const event of await session.events()) {
    if (!('frame' in event) || event.frame === undefined) continue;
    if (event.type === 'model-replied') for (const call of event.toolCalls) names.set(call.id, call.name);
    if (event.type === 'tool-call-ended')
      answers.push(`${names.get(event.call)}: ${getModelText(event.result)}`);
  }
  return answers;
}

/** Returns the results in the last request to the agent's own model. */
export const getOuterResults = ({ requests }: TestSession): string[] => {
  const own = requests.findLast(({ messages: [first] }) => first?.text === 'Work.');
  return (own?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));
};

/** Returns the system message of each request of a nested loop. */
export const getInnerInstructions = ({ requests }: TestSession): string[] =>
  requests.map(getFirstText).filter((text) => text !== 'Work.');

const getFirstText = ({ messages: [first] }: ModelRequest): string => String(first?.text);

/** Returns the names of the tools that each request of a nested loop offered. */
export const getInnerOffers = ({ requests }: TestSession): string[][] =>
  requests.filter((one) => getFirstText(one) !== 'Work.').map(({ tools }) => tools.map(({ name }) => name));

/** Returns a script for parallel loops: each loop has its own replies, which its system message selects. */
export function replyByLoop(scripts: Readonly<Record<string, readonly ScriptedReply[]>>): ScriptedReply[] {
  const left = new Map(Object.entries(scripts).map(([loop, replies]) => [loop, [...replies]]));
  const replyFromScript = (request: ModelRequest): ScriptedReply =>
    left.get(getFirstText(request))?.shift() ?? `No reply left for '${getFirstText(request)}'.`;
  return Array.from({ length: 100 }, () => replyFromScript);
}
