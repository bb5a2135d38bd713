import {
  type AgentConfig,
  type AnyTool,
  defineAgent,
  type InputDeclaration,
  ModelError,
} from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import { defineInjectionStrategy } from '../../../../src/kinds/entry.ts';
import { showToolsChanges, signPrefix } from '../../../../src/model/entry.ts';
import {
  createTestSession,
  type ScriptedModel,
  type ScriptedReply,
  scriptedModel,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import { readJournal } from '../../../doors/session.ts';
import { unplaced } from '../../../fixtures/stored.ts';
import type { MemoryApp } from '../session/memory-app.ts';
import { does } from '../unfolding/scenes.ts';

export type Request = ScriptedModel['requests'][number];
type Reply = Extract<SessionEvent, { type: 'model-replied' }>;
export type Change = Extract<SessionEvent, { type: 'tools-changed' }>;

/** A model that thinks before every reply, receives tool changes, and signs everything before it. */
export const SIGNS = { provider: 'maker', showToolsChanges, signPrefix } as const;

/** A reply that thinks, and is therefore stored with its parts. */
export const thinks = (text: string, ...calls: readonly (readonly [string, object])[]): ScriptedReply => ({
  parts: [
    { type: 'reasoning', text: `Why ${text}`, provider: { maker: { signature: text } } },
    { type: 'text', text },
    ...calls.map(([name, input], index) => ({
      type: 'tool-call' as const,
      id: `${text}_${index}`,
      name,
      input: JSON.stringify(input),
    })),
  ],
});

/** Opens a door: the tool `name` is offered from the next request on, and its description identifies it. */
export const opens = (name: string, kind = 'a'): readonly [string, object] => ['open', { name, kind }];
export const closes = (name: string): readonly [string, object] => ['close', { name }];

const door = (name: string, kind: string): AnyTool =>
  does(name, () => `${name} done`, `Does ${name} ${kind}.`);

/** Every tool that a door can stand for: they are inside `open`, which makes their definitions known. */
const DOORS = ['zoo', 'bar', 'car'].flatMap((name) => ['a', 'b'].map((kind) => door(name, kind)));

/** Offers the tools that the calls of the conversation have opened, after the agent's own tools. */
export const doors: InjectionStrategy = {
  name: 'doors',
  offer(tools, view) {
    const open = new Map<string, AnyTool>();
    for (const message of view.history()) {
      for (const call of message.role === 'assistant' ? message.calls : []) {
        const { name, kind } = JSON.parse(call.input) as { readonly name: string; readonly kind?: string };
        const found = DOORS.find(({ description }) => description === `Does ${name} ${kind}.`);
        if (call.name === 'open' && found) open.set(name, found);
        if (call.name === 'close') open.delete(name);
      }
    }
    return open.size === 0 ? tools : [...tools, ...open.values()];
  },
};

/** For the `use` of agents. */
export const openingDoors = defineInjectionStrategy(doors);

export const TOOLS: readonly AnyTool[] = [
  { ...does('open', () => 'opened'), inner: DOORS },
  does('close', () => 'closed'),
];

type More = Partial<Omit<AgentConfig<'clerk', InputDeclaration>, 'name' | 'model'>>;

export const agentOf = (more: More = {}) =>
  defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: TOOLS,
    use: [openingDoors],
    ...more,
  });

export function sessionOf(
  replies: readonly ScriptedReply[],
  more: More = {},
  model: object = SIGNS,
): TestSession {
  return createTestSession(agentOf(more), { model: scriptedModel(replies, model) });
}

/** A session, or an app with a session whose turns are all read. */
type Journaled = Pick<TestSession, 'events'> | MemoryApp;

const journalOf = async (of: Journaled) => ('port' in of ? readJournal(of.port) : of.events());

export const changesOf = async (of: Journaled): Promise<readonly Change[]> =>
  (await journalOf(of)).flatMap((event) => (event.type === 'tools-changed' ? [unplaced(event)] : []));

export const repliesOf = async (of: Journaled): Promise<readonly Reply[]> =>
  (await journalOf(of)).flatMap((event) => (event.type === 'model-replied' ? [event] : []));

export const names = (tools: readonly { readonly name: string }[] = []): string =>
  tools.map(({ name }) => name).join(' ');

/** The tool changes in each request, by the position of the message: `3 +zoo -bar`. */
export const toldIn = ({ messages }: Request): readonly string[] =>
  messages.flatMap((message, at) => {
    if (message.role !== 'system' || !message.toolsChange) return [];
    const { came, went } = message.toolsChange;
    const what = [...came.map(({ name }) => `+${name}`), ...went.map(({ name }) => `-${name}`)];
    return [`${at} ${what.join(' ')}`];
  });

/** The text of the replies whose prefix has changed. */
export const movedIn = ({ messages }: Request): readonly string[] =>
  messages.flatMap((message) => (message.role === 'assistant' && message.movedPrefix ? [message.text] : []));

/** Returns `true` if a request begins with the whole earlier request. */
export const extendsIt = (before: Request, after: Request | undefined): boolean =>
  before.messages.every((message, at) => JSON.stringify(message) === JSON.stringify(after?.messages[at]));

/** The position of a request: its instructions, and the number of replies in it. */
export const placeOf = ({ messages }: Request): string =>
  `${messages[0]?.text.split('\n')[0]} ${messages.filter(({ role }) => role === 'assistant').length}`;

/**
 * Replies by the position of the request, with loops identified by their instructions: a Worker that ends
 * loses unstored replies, and the next one requests them again. `meets` is called at the first visit of each
 * position, before the reply.
 */
export function byPlace(
  loops: Readonly<Record<string, readonly ScriptedReply[]>>,
  meets: (place: string) => unknown = () => {},
): readonly ScriptedReply[] {
  const met = new Set<string>();
  const replies = new Map(
    Object.entries(loops).flatMap(([instructions, all]) =>
      all.map((reply, at): readonly [string, ScriptedReply] => [`${instructions} ${at}`, reply]),
    ),
  );
  const answer = async (request: Request): Promise<ScriptedReply> => {
    const place = placeOf(request);
    const isNew = !met.has(place);
    met.add(place);
    if (isNew) await meets(place);
    return replies.get(place) ?? new ModelError('bad-request', `There is no reply at ${place}.`);
  };
  return Array.from({ length: 200 }, () => answer);
}
