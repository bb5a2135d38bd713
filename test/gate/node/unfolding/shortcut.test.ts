import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTextTool, defineTool, type EligibilityCheck } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { requireApproval, withObservability } from '../../../../src/modules/decorators/entry.ts';
import { calls, crash, createTool, offeredTools, openedText, results, sessionWith } from './scenes.ts';

const create = defineTool({
  name: 'create_task',
  description: 'Creates.',
  input: v.object({ title: v.string() }),
  effect: 'read',
  run: ({ title }, call) => `created ${title} for ${call.context.get('tenant') ?? 'nobody'}`,
});
const tasks = (...more: readonly AnyTool[]): AnyTool =>
  defineUnfolding({
    name: 'tasks',
    description: 'Tasks.',
    tools: [...(more.length > 0 ? more : [create]), createTool('list')],
  });
const SHORTCUT = calls(['tasks', { create_task: { title: 'tea' } }]);

describe('a shortcut: a call of an unfolding tool with the name of an inner tool', () => {
  it('runs the inner tool at once, and opens the unfolding tool (UNF-26, UNF-27)', async () => {
    const session = sessionWith([tasks()], [SHORTCUT, 'Done.'], { context: { tenant: 'acme' } });
    await session.send('Go.');
    expect(results(session)).toEqual(['created tea for acme']);
    expect(offeredTools(session)[1]).toEqual(['tasks', 'create_task', 'list']);
  });

  it('runs the inner tool even if the unfolding tool is already open (UNF-12, UNF-26)', async () => {
    const session = sessionWith([tasks()], [calls('tasks'), SHORTCUT, 'Done.']);
    await session.send('Go.');
    expect(results(session)[1]).toBe('created tea for nobody');
    expect(offeredTools(session)[2]).toEqual(offeredTools(session)[1]);
  });

  it('runs the first inner tool that its input names (UNF-26)', async () => {
    const session = sessionWith(
      [tasks()],
      [calls(['tasks', { what: 1, list: {}, create_task: { title: 'x' } }]), 'Done.'],
    );
    await session.send('Go.');
    expect(results(session)).toEqual(['list done']);
  });

  it.each([
    '',
    '{}',
    'create_task',
    '[{"create_task":{}}]',
    '{"unknown":{}}',
    '{"create_task":"tea"}',
    '{"toString":{}}',
  ])('is not assumed for %j (UNF-26)', async (input) => {
    const session = sessionWith([tasks()], [calls(['tasks', input]), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([openedText('create_task', 'list')]);
  });

  it.each([
    ['tea', '"tea"'],
    [7, '7'],
    [{ cups: 2 }, '{"cups":2}'],
    [{ input: 'tea' }, 'tea'],
  ])('passes the JSON of %j to a tool with text input (UNF-26)', async (value, text) => {
    const note = defineTextTool({
      name: 'note',
      description: 'Notes.',
      effect: 'read',
      run: (said) => `noted ${said}`,
    });
    const session = sessionWith([tasks(note)], [calls(['tasks', { note: value }]), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([`noted ${text}`]);
  });

  it('returns the error of the inner tool for an invalid input, and opens no tools (UNF-27)', async () => {
    const session = sessionWith([tasks()], [calls(['tasks', { create_task: {} }]), 'Done.']);
    await session.send('Go.');
    expect(results(session)[0]).toMatch(/^Error: The input of tool 'create_task' is not valid:\n- title: /);
    expect(offeredTools(session)[1]).toEqual(['tasks']);
  });

  it('finds an inner tool in any category, and opens all of them (UNF-26)', async () => {
    const tool = defineUnfolding({
      name: 'files',
      description: 'Files.',
      byCategory: { look: [createTool('read')], change: [createTool('write')] },
    });
    const session = sessionWith([tool], [calls(['files', { write: {} }]), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual(['write done']);
    expect(offeredTools(session)[1]).toEqual(['files', 'read', 'write']);
  });

  it('is not assumed for an argument of the unfolding tool itself (UNF-26)', async () => {
    const category = defineTextTool({
      name: 'category',
      description: 'Names.',
      effect: 'read',
      run: () => 'ran',
    });
    const look = {
      name: 'files',
      description: 'Files.',
      byCategory: { look: [category, createTool('read')] },
    };
    const session = sessionWith([defineUnfolding(look)], [calls(['files', { category: 'look' }]), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([openedText('category', 'read')]);
  });

  it('is not assumed if the unfolding tool has a selector, which decides on the tools', async () => {
    const tool = defineUnfolding({
      name: 'tasks',
      description: 'Tasks.',
      tools: [create],
      input: v.looseObject({}),
      select: () => [createTool('list')],
    });
    const session = sessionWith([tool], [SHORTCUT, 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([openedText('list')]);
  });
});

describe('a shortcut, like a direct call of the inner tool,', () => {
  it('is checked by the policy `isEligible` (UNF-27, SPM-08)', async () => {
    const seen: unknown[] = [];
    const isEligible: EligibilityCheck = (call) => {
      seen.push(call);
      return call.name !== 'create_task';
    };
    const session = sessionWith([tasks()], [SHORTCUT, 'Done.'], { policies: { isEligible } });
    await session.send('Go.');
    expect(results(session)).toEqual(["Error: Tool 'create_task' was not run: this call is not permitted."]);
    expect(seen).toEqual([{ id: expect.any(String), name: 'create_task', input: '{"title":"tea"}' }]);
    expect(offeredTools(session)[1]).toEqual(['tasks']);
  });

  it('is observed as a call of the inner tool (UNF-27)', async () => {
    const seen: string[] = [];
    const watched = withObservability(create, ({ tool }) => void seen.push(tool));
    const session = sessionWith([tasks(watched)], [SHORTCUT, 'Done.']);
    await session.send('Go.');
    expect(seen).toEqual(['create_task']);
  });

  it('does not run a `once` tool again after an interruption (UNF-27)', async () => {
    let runs = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: () => {
        runs += 1;
        if (runs === 1) session.kill();
        return 'paid';
      },
      reconcile: () => ({ done: 'found paid' }),
    });
    const session = sessionWith([tasks(pay)], [calls(['tasks', { pay: {} }]), 'Done.']);
    await session.send('Go.');
    expect(runs).toBe(1);
    expect(results(session)).toEqual(['found paid']);
    expect(offeredTools(session)[1]).toEqual(['tasks', 'list', 'pay']);
  });

  /** Returns a session with a shortcut to an inner tool that requires approval. */
  const approving = () =>
    sessionWith([tasks(requireApproval(create, ({ title }) => `Create ${title}?`))], [SHORTCUT, 'Done.']);

  it('waits for approval, survives a crash, and then runs (UNF-27, AEA-12)', async () => {
    const session = approving();
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'suspended',
      pending: [{ message: 'Create tea?', input: { title: 'tea' }, schema: create.inputSchema }],
    });
    session.restart();
    expect(await session.decide('tasks', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(results(session)).toEqual(['created tea for nobody']);
    expect(offeredTools(session)[1]).toEqual(['tasks', 'create_task', 'list']);
  });

  it('accepts an edit of the inner input (UNF-27)', async () => {
    const session = approving();
    await session.send('Go.');
    await session.decide('tasks', { decision: 'edit', input: { title: 'coffee' } });
    expect(results(session)).toEqual([
      'created coffee for nobody\nNote: whoever approved this call changed its input to {"title":"coffee"}.',
    ]);
  });

  it('leaves the unfolding tool closed after a rejection (UNF-27)', async () => {
    const session = approving();
    await session.send('Go.');
    await session.decide('tasks', { decision: 'reject', reason: 'No.' });
    expect(results(session)).toEqual([
      "Error: This call of 'create_task' was declined and did not run. Do not repeat it unchanged. Reason: No.",
    ]);
    expect(offeredTools(session)[1]).toEqual(['tasks']);
  });

  it('runs after other calls with the same serial key (UNF-27)', async () => {
    const steps: string[] = [];
    const slow = (name: string) =>
      defineTool({
        name,
        description: 'Slow.',
        effect: 'read',
        serial: 'desk',
        run: async () => {
          steps.push(`${name} begins`);
          await Promise.resolve();
          steps.push(`${name} ends`);
        },
      });
    const session = sessionWith(
      [tasks(slow('one'), slow('two'))],
      [calls(['tasks', { one: {} }], ['tasks', { two: {} }]), 'Done.'],
    );
    await session.send('Go.');
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('opens the unfolding tool even if the Worker is killed in the next iteration', async () => {
    const session = sessionWith([tasks(), crash(() => session)], [SHORTCUT, calls('list', 'crash'), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual(['created tea for nobody', 'list done', 'crashed']);
  });
});
