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
import { withoutPlace } from '../../../fixtures/stored.ts';
import type { MemoryApp } from '../session/memory-app.ts';
import { createTool } from '../unfolding/scenes.ts';

export type ScriptedRequest = ScriptedModel['requests'][number];
type ReplyEvent = Extract<SessionEvent, { type: 'model-replied' }>;
export type ChangeEvent = Extract<SessionEvent, { type: 'tools-changed' }>;

/** The options of a model that reasons, receives tool changes, and signs the messages before its replies. */
export const SIGNING_OPTIONS = { provider: 'maker', showToolsChanges, signPrefix } as const;

/** Makes a reply with reasoning, which is therefore stored with its parts. */
export const createThinkingReply = (
  text: string,
  ...calls: readonly (readonly [string, object])[]
): ScriptedReply => ({
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

/**
 * Makes a call of `open`, which offers the tool `name` from the next request on. Its description contains
 * `kind`.
 */
export const createOpenCall = (name: string, kind = 'a'): readonly [string, object] => [
  'open',
  { name, kind },
];
export const createCloseCall = (name: string): readonly [string, object] => ['close', { name }];

const createDoorTool = (name: string, kind: string): AnyTool =>
  createTool(name, () => `${name} done`, `Does ${name} ${kind}.`);

/** All tools that `open` can offer. They are its inner tools, so that their definitions are known. */
const DOORS = ['zoo', 'bar', 'car'].flatMap((name) => ['a', 'b'].map((kind) => createDoorTool(name, kind)));

/** Offers the tools that calls in the conversation have opened, after the tools of the agent. */
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

/** The strategy as a module of an agent. */
export const openingDoors = defineInjectionStrategy(doors);

export const TOOLS: readonly AnyTool[] = [
  { ...createTool('open', () => 'opened'), inner: DOORS },
  createTool('close', () => 'closed'),
];

type AgentOverrides = Partial<Omit<AgentConfig<'clerk', InputDeclaration>, 'name' | 'model'>>;

export const createTestAgent = (more: AgentOverrides = {}) =>
  defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: TOOLS,
    use: [openingDoors],
    ...more,
  });

export function startSession(
  replies: readonly ScriptedReply[],
  more: AgentOverrides = {},
  model: object = SIGNING_OPTIONS,
): TestSession {
  return createTestSession(createTestAgent(more), { model: scriptedModel(replies, model) });
}

/** A session, or an app whose session is read. */
type JournalSource = Pick<TestSession, 'events'> | MemoryApp;

const readSourceJournal = async (of: JournalSource) => ('port' in of ? readJournal(of.port) : of.events());

export const readChanges = async (of: JournalSource): Promise<readonly ChangeEvent[]> =>
  (await readSourceJournal(of)).flatMap((event) =>
    event.type === 'tools-changed' ? [withoutPlace(event)] : [],
  );

export const readReplies = async (of: JournalSource): Promise<readonly ReplyEvent[]> =>
  (await readSourceJournal(of)).flatMap((event) => (event.type === 'model-replied' ? [event] : []));

export const joinNames = (tools: readonly { readonly name: string }[] = []): string =>
  tools.map(({ name }) => name).join(' ');

/** Returns the tool changes in a request, with the position of the message: `3 +zoo -bar`. */
export const listShownChanges = ({ messages }: ScriptedRequest): readonly string[] =>
  messages.flatMap((message, at) => {
    if (message.role !== 'system' || !message.toolsChange) return [];
    const { came, went } = message.toolsChange;
    const what = [...came.map(({ name }) => `+${name}`), ...went.map(({ name }) => `-${name}`)];
    return [`${at} ${what.join(' ')}`];
  });

/** Returns the texts of replies whose preceding messages have changed. */
export const listMovedReplies = ({ messages }: ScriptedRequest): readonly string[] =>
  messages.flatMap((message) => (message.role === 'assistant' && message.movedPrefix ? [message.text] : []));

/** Returns `true` if the later request starts with all messages of the earlier one. */
export const isExtension = (before: ScriptedRequest, after: ScriptedRequest | undefined): boolean =>
  before.messages.every((message, at) => JSON.stringify(message) === JSON.stringify(after?.messages[at]));

/** Returns the position of a request: its instructions, and its number of replies. */
export const formatPlace = ({ messages }: ScriptedRequest): string =>
  `${messages[0]?.text.split('\n')[0]} ${messages.filter(({ role }) => role === 'assistant').length}`;

/**
 * Returns a script that selects each reply by the position of the request, because replies that a killed
 * Worker did not store are requested again. Calls `meets` before the first reply at each position.
 */
export function replyByPlace(
  loops: Readonly<Record<string, readonly ScriptedReply[]>>,
  meets: (place: string) => unknown = () => {},
): readonly ScriptedReply[] {
  const met = new Set<string>();
  const replies = new Map(
    Object.entries(loops).flatMap(([instructions, all]) =>
      all.map((reply, at): readonly [string, ScriptedReply] => [`${instructions} ${at}`, reply]),
    ),
  );
  const answer = async (request: ScriptedRequest): Promise<ScriptedReply> => {
    const place = formatPlace(request);
    const isNew = !met.has(place);
    met.add(place);
    if (isNew) await meets(place);
    return replies.get(place) ?? new ModelError('bad-request', `There is no reply at ${place}.`);
  };
  return Array.from({ length: 200 }, () => answer);
}
