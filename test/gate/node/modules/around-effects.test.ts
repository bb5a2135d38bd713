/** The seam `run`: modules that wrap the effects of calls. */
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { createModule, createUse, LOOPS } from '../../../doors/loop.ts';

const callTools = (name: string): ScriptedReply => ({ calls: [{ name, input: {} }] });

const clerk = { name: 'clerk', description: 'Works.', instructions: 'Work.' };

/** A module that logs the effects that it wraps. */
function createTracer(name: string, log: string[], nested = false): ModuleUse {
  const use = createUse(createModule({ name, nested }));
  LOOPS.give(use, {
    call(call, next) {
      log.push(`${name}: call ${call.tool}`);
      return next();
    },
    async run({ asked }, next, { effect }) {
      log.push(`${name}: run ${asked.name}, ${effect}, ${asked.input}`);
      const value = await next();
      log.push(`${name}: ran ${asked.name}: ${value}`);
      return value;
    },
  });
  return use;
}

describe('the seam `run`', () => {
  it('wraps the effect inside the seam `call`, outermost for the app, after the start is durable', async () => {
    const log: string[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'once',
      async run() {
        const types = (await session.events()).map(({ type }) => type);
        log.push(`stored: ${types.at(-1)}`);
        return 'paid';
      },
    });
    const agent = defineAgent({ ...clerk, tools: [pay], use: [createTracer('agent', log)] });
    const session: TestSession = createTestSession(agent, {
      replies: [callTools('pay'), 'Done.'],
      use: [createTracer('app', log)],
    });
    expect(await session.send('Pay.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(log).toEqual([
      'app: call pay',
      'agent: call pay',
      'app: run pay, once, {}',
      'agent: run pay, once, {}',
      'stored: tool-call-started',
      'agent: ran pay: paid',
      'app: ran pay: paid',
    ]);
  });

  it('applies to nested loops for modules of the app and nested modules, but not for other agent modules', async () => {
    const log: string[] = [];
    const spade = defineTool({ name: 'spade', description: 'Digs.', effect: 'read', run: () => 'hole' });
    const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [spade] });
    const use = [createTracer('agent', log), createTracer('nested', log, true)];
    const session = createTestSession(defineAgent({ ...clerk, tools: [dig], use }), {
      replies: [callTools('dig'), callTools('spade'), 'Dug.', 'Done.'],
      use: [createTracer('app', log)],
    });
    await session.send('Dig.');
    expect(log.filter((line) => line.includes('run'))).toEqual([
      'app: run spade, read, {}',
      'nested: run spade, read, {}',
    ]);
  });

  it('can change the call, replace its result, and fail it with an error', async () => {
    const use = createUse(createModule({ name: 'changing' }));
    LOOPS.give(use, {
      run({ asked }, next) {
        if (asked.name === 'replaced') return 'by the module';
        if (asked.name === 'broken') throw new Error('No connection.');
        return next({ idempotencyKey: 'changed' });
      },
    });
    const createReadingTool = (name: string) =>
      defineTool({ name, description: 'Works.', effect: 'read', run: (_, call) => call.idempotencyKey });
    const tools = [createReadingTool('changed'), createReadingTool('replaced'), createReadingTool('broken')];
    const session = createTestSession(defineAgent({ ...clerk, tools }), {
      replies: [...tools.map(({ name }) => callTools(name)), 'Done.'],
      use: [use],
      log: false,
    });
    await session.send('Work.');
    const results = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' && event.result.type === 'text' ? event.result.content : [],
    );
    expect(results).toEqual(['changed', 'by the module']);
    expect(session.requests.at(-1)?.messages.at(-1)?.text).toContain('No connection.');
  });

  it('wraps each run of a killed call, and `reconcile` wraps its reconciliation', async () => {
    const log: string[] = [];
    let isKilled = false;
    const killOnce = (value: string) => {
      if (!isKilled) session.kill();
      isKilled = true;
      return value;
    };
    const put = defineTool({
      name: 'put',
      description: 'Puts.',
      effect: 'idempotent',
      run: () => killOnce('put'),
    });
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'once',
      run: () => killOnce('paid'),
      reconcile: () => ({ done: 'paid before' }),
    });
    const use = createUse(createModule({ name: 'doubting' }));
    LOOPS.give(use, {
      async reconcile({ asked }, next) {
        const found = await next();
        log.push(`doubting: ${asked.name}, ${JSON.stringify(found)}`);
        return found;
      },
    });
    const createPlayedSession = (name: string) =>
      createTestSession(defineAgent({ ...clerk, tools: [put, pay] }), {
        replies: [callTools(name), 'Done.'],
        use: [createTracer('app', log), use],
      });
    let session = createPlayedSession('put');
    expect(await session.send('Put.')).toMatchObject({ text: 'Done.' });
    expect(log.filter((line) => line.startsWith('app: run'))).toEqual([
      'app: run put, idempotent, {}',
      'app: run put, idempotent, {}',
    ]);
    log.length = 0;
    isKilled = false;
    session = createPlayedSession('pay');
    expect(await session.send('Pay.')).toMatchObject({ text: 'Done.' });
    expect(log.slice(-1)).toEqual(['doubting: pay, {"done":"paid before"}']);
    expect(log.filter((line) => line.startsWith('app: run'))).toEqual(['app: run pay, once, {}']);
  });
});
