/** Modules that are layers around the model calls of the loops that use them. */
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { type ChatModel, defineAgent, ModelError } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import type { ModelReply } from '../../../../src/model/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import {
  type AskLayer,
  askLayer,
  createModule,
  createUse,
  LOOPS,
  ModelRefusalError,
} from '../../../doors/loop.ts';
import { createReadingTool } from '../tool-loop/scenes.ts';

/** A module that is a layer around model calls. */
function createLayer(name: string, ask: AskLayer, nested = false): ModuleUse {
  const use = createUse(createModule({ name, nested }));
  LOOPS.give(use, { ask: askLayer(ask) });
  return use;
}

const createLoggingLayer = (place: AskLayer['place'], log: string[], name: string = place): ModuleUse =>
  createLayer(name, {
    place,
    async around({ request }, next) {
      log.push(`${name} asks`);
      const reply = await next(request);
      log.push(`${name} has '${reply.text}'`);
      return reply;
    },
  });

const createTestAgent = (use: readonly ModuleUse[], tools: Parameters<typeof defineAgent>[0]['tools'] = []) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, use });

const createModel = (...replies: (() => ModelReply)[]): ChatModel => ({
  name: 'broken',
  async ask(_, { onText }) {
    onText?.('So far');
    return replies.shift()?.() ?? createTextReply('Done.');
  },
});

const createTextReply = (text: string): ModelReply => ({ text, toolCalls: [], finish: 'stop' });

const breakOff = (): ModelReply => {
  throw new ModelError('server-error', 'The reply broke off.', { outputBegan: true });
};

describe('layers around a model call', () => {
  it('are ordered by their fixed places, and by the order of use within one place', async () => {
    const log: string[] = [];
    const places = ['budget', 'retry', 'trace', 'fallback', 'guard', 'room'] as const;
    const use = [
      ...places.map((place) => createLoggingLayer(place, log)),
      createLoggingLayer('guard', log, 'second guard'),
    ];
    const session = createTestSession(createTestAgent(use), { replies: ['Hi.'] });
    await session.send('Go.');
    const inside = ['trace', 'guard', 'second guard', 'room', 'fallback', 'retry', 'budget'];
    expect(log).toEqual([
      ...inside.map((name) => `${name} asks`),
      ...inside.toReversed().map((name) => `${name} has 'Hi.'`),
    ]);
  });

  it('run again after a broken reply if they are inside the retry of the kernel', async () => {
    const log: string[] = [];
    const model = createModel(breakOff);
    const use = [createLoggingLayer('retry', log), createLoggingLayer('budget', log)];
    const session = createTestSession(createTestAgent(use), { model });
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(log).toEqual([
      'retry asks',
      'budget asks',
      'budget asks',
      "budget has 'Done.'",
      "retry has 'Done.'",
    ]);
  });

  it('can make several requests, and can change the request and the reply', async () => {
    const again: AskLayer = {
      place: 'retry',
      async around({ request }, next) {
        const first = await next(request);
        const second = await next({ ...request, maxOutputTokens: 7 });
        return { ...second, text: `${first.text} ${second.text}` };
      },
    };
    const session = createTestSession(createTestAgent([createLayer('again', again)]), {
      replies: ['One.', 'Two.'],
    });
    expect(await session.send('Go.')).toMatchObject({ text: 'One. Two.', iterations: 1 });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 7]);
  });

  it('see chunks and replies without secrets', async () => {
    const seen: string[] = [];
    const watching: AskLayer = {
      place: 'trace',
      async around({ request, tell }, next) {
        const onText = (piece: string): void => {
          seen.push(piece);
          tell.onText?.(piece);
        };
        const reply = await next(request, { ...tell, onText });
        seen.push(`whole: ${reply.text}`);
        return reply;
      },
    };
    const session = createTestSession(createTestAgent([createLayer('watching', watching)]), {
      replies: [{ text: 'It is hunter22.', pieces: ['It is hun', 'ter22.'] }],
      secrets: () => ({ KEY: 'hunter22' }),
    });
    await session.send('Go.');
    expect(seen.at(-1)).toBe('whole: It is [secret KEY].');
    expect(seen.slice(0, -1).join('')).toBe('It is [secret KEY].');
  });

  it('end the turn as `limit-reached` if they refuse the call, which is journaled', async () => {
    const refusing: AskLayer = {
      place: 'guard',
      around: () => Promise.reject(new ModelRefusalError({ limit: 'tokens', most: 9, used: 8, needed: 2 })),
    };
    const session = createTestSession(createTestAgent([createLayer('refusing', refusing)]), {
      replies: ['No.'],
    });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'limit-reached',
      limit: { kind: 'tokens', most: 9 },
    });
    expect(session.requests).toEqual([]);
    const refused = (await session.events()).find(({ type }) => type === 'model-refused');
    expect(refused).toMatchObject({ limit: 'tokens', most: 9, used: 8, needed: 2 });
  });

  it('are notified once the outcome is in the journal', async () => {
    const log: string[] = [];
    const waiting: AskLayer = {
      place: 'budget',
      around({ loop, request, atEnd }, next) {
        atEnd(() => log.push(`ended after reply ${loop.frame.iterations}`));
        return next(request);
      },
    };
    const session = createTestSession(
      createTestAgent([createLayer('waiting', waiting)], [createReadingTool('look')]),
      {
        replies: [{ calls: [{ name: 'look' }] }, 'Done.'],
      },
    );
    await session.send('Go.');
    expect(log).toEqual(['ended after reply 1', 'ended after reply 2']);
  });

  it('apply to nested loops only if the module of an agent is marked as nested', async () => {
    const log: string[] = [];
    const createNotingLayer = (name: string): AskLayer => ({
      place: 'trace',
      around({ loop, frame, request }, next) {
        log.push(`${name} at ${loop.frame.path}, used for '${frame}'`);
        return next(request);
      },
    });
    const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [createReadingTool('spade')] });
    const use = [
      createLayer('own', createNotingLayer('own')),
      createLayer('nested', createNotingLayer('nested'), true),
    ];
    const replies: ScriptedReply[] = [{ calls: [{ name: 'dig', input: {} }] }, 'Dug.', 'Done.'];
    const session = createTestSession(createTestAgent(use, [dig]), { replies });
    expect(await session.send('Go.')).toMatchObject({ text: 'Done.' });
    expect(log).toEqual([
      "own at clerk, used for ''",
      "nested at clerk, used for ''",
      "nested at clerk/dig, used for ''",
      "own at clerk, used for ''",
      "nested at clerk, used for ''",
    ]);
  });
});
