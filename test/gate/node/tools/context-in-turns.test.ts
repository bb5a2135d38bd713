/** The context of calls, from the request to the innermost call. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  type JsonObject,
  LOOP_ID_KEY,
  loopId,
  ToolCallContext,
  text,
} from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import {
  withCoercion,
  withDescription,
  withMetadata,
  withName,
  withParameter,
  withUsageNote,
} from '../../../../src/modules/decorators/entry.ts';
import { stringParameter } from '../../../../src/modules/json-schema/entry.ts';
import { toolsOf } from '../../../../src/modules/tool-objects/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { callTools, startSession } from './decorators/turns.ts';

const ACME_CONTEXT = { tenantId: 'acme' };

/** A tool that records the context of each of its calls. */
function createRecordingTool(name = 'look') {
  const seen: ToolCallContext[] = [];
  const tool = defineTool({
    name,
    description: 'Looks.',
    effect: 'read',
    run: (_, { context }) => void seen.push(context),
  });
  return { tool, seen };
}

/** A tool that runs other tools in a nested loop. */
const createDiggingTool = (name: string, tools: readonly AnyTool[]): AnyTool => ({
  ...createRecordingTool(name).tool,
  effect: 'none',
  call: async (_, call) => text((await nest(call, { name, instructions: '', message: 'Dig.', tools })).text),
});

/** A session whose tools receive a loop id only if the message has one. */
function createUnstamped(tool: AnyTool, process: JsonObject = {}, everyMessage?: JsonObject): TestSession {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [tool],
    context: process,
    policies: { loopIds: 'as-sent' },
  });
  return createTestSession(agent, { replies: [callTools(tool.name), 'Done.'], context: everyMessage });
}

describe('the context of a call', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['the agent alone', ACME_CONTEXT, {}, ACME_CONTEXT],
    ['the message alone', {}, { authToken: 'xyz' }, { authToken: 'xyz' }],
    ['both', ACME_CONTEXT, { authToken: 'xyz' }, { ...ACME_CONTEXT, authToken: 'xyz' }],
    ['the message if both have the key', ACME_CONTEXT, { tenantId: 'override' }, { tenantId: 'override' }],
  ])('has the context of %s (CTX-05, S0-015)', async (_, ofAgent, ofMessage, expected) => {
    const { tool, seen } = createRecordingTool();
    await createUnstamped(tool, ofAgent).send('Go.', { context: ofMessage });
    expect(seen.map((context) => context.toJSON())).toEqual([expected]);
  });

  it('includes the context of the app, and the contexts of the agent and the message override it', async () => {
    const { tool, seen } = createRecordingTool();
    const app = createMemoryApp({
      tools: [tool],
      replies: [callTools('look'), 'Done.'],
      context: { a: 'agent', b: 'agent' },
      policies: { loopIds: 'as-sent' },
    });
    await app.say('Go.', { context: () => ToolCallContext.of({ a: 'app', c: 'app' }) });
    expect(seen[0]?.toJSON()).toEqual({ a: 'agent', b: 'agent', c: 'app' });
  });

  it('can be set with a context or a plain object, and later entries override earlier ones (CTX-06)', async () => {
    const { tool, seen } = createRecordingTool();
    const createContext = (values: JsonObject) => ToolCallContext.of(values);
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [tool],
      context: createContext({ a: 1, b: 1, c: 1 }),
      policies: { loopIds: 'as-sent' },
    });
    const replies = [callTools('look'), 'Done.', callTools('look'), 'Done.'];
    const session = createTestSession(agent, { replies, context: createContext({ b: 2, c: 2 }) });
    await session.send('Go.', { context: createContext({ c: 3 }) });
    await session.send('Go.', { context: { c: 4, d: 4 } });
    expect(seen.map((context) => context.toJSON())).toEqual([
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2, c: 4, d: 4 },
    ]);
  });

  it('reaches every call of every iteration, even of tools that do not use it (CTX-10)', async () => {
    const { tool, seen } = createRecordingTool();
    const old = defineTool({ name: 'old', description: 'Is old.', effect: 'read', run: (input) => input });
    const session = startSession(
      [tool, old],
      [callTools('look', 'old', 'look'), callTools('look'), 'Done.'],
      ACME_CONTEXT,
    );
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 4 });
    expect(seen.map((context) => context.get('tenantId'))).toEqual(['acme', 'acme', 'acme']);
    expect(seen[1]).toBe(seen[0]); // the same object in one invocation
  });

  it('is `ToolCallContext.EMPTY` if no context is set (CTX-08, CTX-10, CTX-14)', async () => {
    const { tool, seen } = createRecordingTool();
    const session = createUnstamped(tool);
    await session.send('Go.');
    expect(seen).toEqual([ToolCallContext.EMPTY]);
    expect(seen[0]).toBe(ToolCallContext.EMPTY);
    const [started] = (await session.events()).flatMap((event) =>
      event.type === 'turn-started' ? [event.context] : [],
    );
    expect(started).toEqual({});
  });

  it('is never shown to the model, not even in a schema (CTX-01)', async () => {
    const { tool } = createRecordingTool();
    const session = startSession([tool], [callTools('look'), 'Done.'], { apiUser: 'hidden-4711' });
    await session.send('Go.');
    expect(session.requests).toHaveLength(2);
    expect(JSON.stringify(session.requests)).not.toMatch(/hidden-4711|apiUser|holdfast\.loopId/);
  });

  it('is passed through all decorators, combinations of them, and renamed tool objects (CTX-09, CTX-11)', async () => {
    class Desk {
      static readonly tools = { look: { description: 'Looks.', effect: 'read' } };
      readonly seen: unknown[] = [];
      look(_: unknown, { context }: { context: ToolCallContext }) {
        this.seen.push(context.get('tenantId'));
      }
    }
    const desk = new Desk();
    const { tool, seen } = createRecordingTool();
    const decorated = [
      withName(tool, 'named'),
      withName(withDescription(tool, 'Other.'), 'described'),
      withName(withUsageNote(tool, 'Slow'), 'noted'),
      withName(withMetadata(tool, 'cost', 3), 'metadata'),
      withName(withCoercion(tool), 'coerced'),
      withName(withParameter(tool, 'why', stringParameter('x', { required: false })), 'parameter'),
      ...toolsOf(desk, { prefix: 'desk_' }),
    ];
    const session = startSession(
      decorated,
      [callTools(...decorated.map(({ name }) => name)), 'Done.'],
      ACME_CONTEXT,
    );
    await session.send('Go.');
    expect(seen.map((context) => context.get('tenantId'))).toEqual(Array.from({ length: 6 }, () => 'acme'));
    expect(desk.seen).toEqual(['acme']);
  });

  it('is the full effective context in nested loops, at any depth (CTX-11, CTX-12)', async () => {
    const { tool, seen } = createRecordingTool();
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [
        tool,
        createDiggingTool('outer', [
          withName(createDiggingTool('inner', [withUsageNote(tool, 'Deep')]), 'deep'),
        ]),
      ],
      context: { a: 'agent', b: 'agent' },
    });
    const session = createTestSession(agent, {
      replies: [
        callTools('look'),
        callTools('outer'),
        callTools('deep'),
        callTools('look'),
        'Deep.',
        'Mid.',
        'Done.',
      ],
    });
    const answer = await session.send('Go.', { context: { b: 'message' } });
    const expected = { a: 'agent', b: 'message', [LOOP_ID_KEY]: answer.loopId };
    expect(seen.map((context) => context.toJSON())).toEqual([expected, expected]);
  });

  it('is the same after the Worker is killed in the middle of a call (CTX-12)', async () => {
    const { tool, seen } = createRecordingTool();
    let kills = 1;
    const dying = defineTool({
      name: 'dying',
      description: 'Dies once.',
      effect: 'idempotent',
      run: (_, { context }) => {
        seen.push(context);
        if (kills > 0) session.kill();
        kills -= 1;
      },
    });
    const replies = [callTools('dig'), callTools('dying'), callTools('look'), 'Dug.', 'Done.'];
    const session: TestSession = startSession(
      [createDiggingTool('dig', [dying, tool])],
      replies,
      ACME_CONTEXT,
    );
    const { loopId: loop } = await session.send('Go.');
    const expected = { ...ACME_CONTEXT, [LOOP_ID_KEY]: loop };
    expect(seen.map((context) => context.toJSON())).toEqual([expected, expected, expected]);
  });

  it('is read through a schema, and an invalid value fails the call with an error that omits the value', async () => {
    const strict = defineTool({
      name: 'strict',
      description: 'Needs a number.',
      effect: 'read',
      run: (_, { context }) => context.get('token', v.number()),
    });
    const session = startSession([strict], [callTools('strict'), 'Done.'], { token: 'hidden-4711' });
    await session.send('Go.');
    expect(session.requests[1]?.messages.at(-1)).toMatchObject({
      text: "Error: The tool-call context's 'token' does not match the schema it is read with.",
    });
  });
});

describe('the id of a loop', () => {
  const getLoopIds = (seen: readonly ToolCallContext[]) => seen.map((context) => loopId(context));

  it('is new for each turn, and the same for all calls of one turn (CTX-13)', async () => {
    const { tool, seen } = createRecordingTool();
    const session = startSession([tool], [callTools('look', 'look'), 'Done.', callTools('look'), 'Done.']);
    const [first, second] = [await session.send('Go.'), await session.send('Go.')];
    expect(getLoopIds(seen)).toEqual([first.loopId, first.loopId, second.loopId]);
    expect(first.loopId).not.toBe(second.loopId);
    expect(seen[0]?.get(LOOP_ID_KEY)).toBe(first.loopId);
  });

  it("is the caller's id if the message or its context has one (CTX-13)", async () => {
    const { tool, seen } = createRecordingTool();
    const session = startSession([tool], [callTools('look'), 'Done.', callTools('look'), 'Done.']);
    await session.send('Go.', { loopId: 'mine' });
    await session.send('Go.', { context: { [LOOP_ID_KEY]: 'in-context' } });
    expect(getLoopIds(seen)).toEqual(['mine', 'in-context']);
  });

  it('is not generated if the agent turns that off, but an id that was sent is kept (CTX-13)', async () => {
    const { tool, seen } = createRecordingTool();
    const session = createUnstamped(tool);
    await session.send('Go.');
    await createUnstamped(tool).send('Go.', { loopId: 'mine' });
    expect(getLoopIds(seen)).toEqual([undefined, 'mine']);
  });
});
