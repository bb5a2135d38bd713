/** A module of an app, defined with the public API. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineModule, type ModuleParts } from '../../../../src/module.ts';
import { crashMatrix } from '../../../../src/testing/crash-matrix/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { DUE, STOP_SEAM } from '../../../doors/session.ts';

const act = defineTool({ name: 'act', description: 'Acts.', effect: 'idempotent', run: () => 'done' });
const lateTool = defineTool({ name: 'late', description: 'Comes late.', effect: 'read', run: () => 'late' });
const clerk = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [act] });
const actReply: ScriptedReply = { calls: [{ name: 'act', input: {} }] };

/** A module that counts model calls and tool calls, and offers a tool after the first call. */
const audit = defineModule({
  name: 'audit',
  state: { initial: [], when: 'call', apply: (all: readonly string[], one: string) => [...all, one] },
});
const auditParts: ModuleParts = {
  async prepare(loop) {
    audit.remember(loop, `ask ${loop.view.iterations}`);
    await loop.durable();
  },
  call(call, next) {
    audit.remember(call, call.tool, { on: 'end' });
    return next();
  },
  offer: (tools, view) => (audit.recall(view).includes('act') ? [...tools, lateTool] : tools),
};

describe('a module of an app', () => {
  it('journals facts before model calls and around calls, and uses them to offer tools', async () => {
    const session = createTestSession(clerk, { replies: [actReply, 'Done.'], use: [audit.use(auditParts)] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await session.memory(audit)).toEqual(['ask 0', 'act', 'ask 1']);
    expect(session.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['act'],
      ['act', 'late'],
    ]);
    const events = (await session.events()).filter(({ type }) => type === 'module-event');
    expect(events).toMatchObject([
      { module: 'app:audit', facts: [{ slice: 'app:audit', fact: 'ask 0' }] },
      { module: 'app:audit', facts: [{ slice: 'app:audit', fact: 'ask 1' }] },
    ]);
  });

  it('returns the same use each time if it has no parts', () => {
    expect(audit.use()).toBe(audit.use());
    expect(audit.use({})).not.toBe(audit.use());
  });

  it('fails the turn if a fact is not JSON, and does not journal it', async () => {
    const broken = audit.use({
      async prepare(loop) {
        audit.remember(loop, new WeakMap() as unknown as string);
      },
    });
    const session = createTestSession(clerk, { replies: ['Done.'], use: [broken], log: false });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'failed' });
    expect((await session.events()).filter(({ type }) => type === 'module-event')).toEqual([]);
  });

  it('has the same state as its folded journal after every kill', { timeout: 60_000 }, async () => {
    const script = { steps: [{ send: 'Act.', replies: [{ calls: ['act'] }, 'Acted.'] }] } as const;
    const report = await crashMatrix(clerk, script, { use: [audit.use(auditParts)] });
    expect(report.failures).toEqual([]);
    expect(report.positions).toBeGreaterThan(8);
  });

  it('stores a task when a turn stops, and receives the session when the task is due', async () => {
    const use = audit.use({
      key: 'k',
      ended: ({ id, stop, agent }) => ({ agenda: [{ ref: `${agent} ${id} ${stop}` }] }),
      due: async ({ owner, session, ref, attempt }, { now }) => ({
        again: `${owner.id} ${session} ${ref} ${attempt}`.length + now(),
      }),
    });
    const name = JSON.stringify(['ann', 'clerk', 's1']);
    expect(STOP_SEAM.of(use)?.({ id: 't1', stop: 'ended', seq: 4, name })).toEqual({
      agenda: [{ ref: 'clerk t1 ended' }],
    });
    const row = { module: 'app:audit', key: 'k', ref: 'r', attempt: 1, name };
    const host = { clock: { now: () => 100 }, log: () => {} };
    const app = { env: {}, host } as unknown as Parameters<NonNullable<ReturnType<typeof DUE.of>>>[1];
    expect(await DUE.of(use)?.(row, app)).toEqual({ again: 'ann s1 r 1'.length + 100 });
  });
});

describe('an invalid module in `use`', () => {
  const createWithUses = (use: readonly unknown[]) => () =>
    createTestSession(clerk, { replies: [], use: use as readonly ModuleUse[] });

  it('is refused if it is a copy, which has no seams', () => {
    expect(createWithUses([{ ...audit.use(auditParts) }])).toThrow(
      "A use of the module 'app:audit' is a copy. Pass the object that the module returned, or look" +
        ' for a second copy of holdfast (npm ls holdfast).',
    );
  });

  it.each([
    ['a module', audit],
    ['an object', {}],
    ['undefined', undefined],
  ])('is refused if it is %s', (_, value) => {
    expect(createWithUses([value])).toThrow(
      '`use` has a value that no module returned. Use the result of a module, such as openApi().',
    );
  });

  it('is refused if it has an unknown part', () => {
    expect(() => audit.use({ prepair: async () => {} } as ModuleParts)).toThrow(
      "Module 'audit': a use of it has an unknown option 'prepair'. Did you mean 'prepare'?",
    );
  });

  it('is refused if its name is invalid', () => {
    expect(() => defineModule({ name: 'a b' })).toThrow("Module 'a b': its name must be a letter");
  });
});

describe('the schema of a module’s facts', () => {
  const graded = defineModule({
    name: 'graded',
    state: {
      initial: 0,
      schema: v.pipe(v.number(), v.maxValue(5, 'At most 5.')),
      apply: (sum: number, grade) => sum + grade,
    },
  });
  const prepare = (grade: number) =>
    graded.use({
      async prepare(loop) {
        graded.remember(loop, grade);
      },
    });

  it('checks a fact before the fact is journaled', async () => {
    const good = createTestSession(clerk, { replies: ['Done.'], use: [prepare(4)] });
    expect(await good.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(await good.memory(graded)).toBe(4);
    const bad = createTestSession(clerk, { replies: ['Done.'], use: [prepare(6)], log: false });
    expect(await bad.send('Go.')).toMatchObject({ outcome: 'failed' });
    expect((await bad.events()).filter(({ type }) => type === 'module-event')).toEqual([]);
    expect(() => graded.fact(6)).toThrow("Module 'graded': a fact does not match its schema: At most 5.");
  });

  it('must be synchronous', () => {
    const later = defineModule({
      name: 'later',
      state: {
        initial: 0,
        schema: v.pipeAsync(
          v.number(),
          v.checkAsync(async () => true),
        ),
        apply: (sum: number, one) => sum + one,
      },
    });
    expect(() => later.fact(1)).toThrow("Module 'later': its 'schema' must be synchronous.");
  });

  it('accepts only the known values for `unread`', () => {
    const state = { initial: 0, unread: 'stop' as 'refuse', apply: (sum: number) => sum };
    expect(() => defineModule({ name: 'odd', state })).toThrow(
      "Module 'odd': 'unread' is 'stop'. Use 'skip' or 'refuse'.",
    );
  });
});
