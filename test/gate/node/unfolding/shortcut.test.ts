import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTextTool, defineTool, type EligibilityCheck } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { requireApproval, withObservability } from '../../../../src/modules/decorators/entry.ts';
import {
  callTools,
  createCrashTool,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const create = defineTool({
  name: 'create_task',
  description: 'Creates.',
  input: v.object({ title: v.string() }),
  effect: 'read',
  run: ({ title }, call) => `created ${title} for ${call.context.get('tenant') ?? 'nobody'}`,
});
const createTasks = (...more: readonly AnyTool[]): AnyTool =>
  defineUnfolding({
    name: 'tasks',
    description: 'Tasks.',
    tools: [...(more.length > 0 ? more : [create]), createTool('list')],
  });
const SHORTCUT_REPLY = callTools(['tasks', { create_task: { title: 'tea' } }]);

describe('a shortcut: a call of an unfolding tool with the name of an inner tool', () => {
  it('runs the inner tool at once, and opens the unfolding tool (UNF-26, UNF-27)', async () => {
    const session = createSession([createTasks()], [SHORTCUT_REPLY, 'Done.'], {
      context: { tenant: 'acme' },
    });
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['created tea for acme']);
    expect(getOfferedTools(session)[1]).toEqual(['tasks', 'create_task', 'list']);
  });

  it('runs the inner tool even if the unfolding tool is already open (UNF-12, UNF-26)', async () => {
    const session = createSession([createTasks()], [callTools('tasks'), SHORTCUT_REPLY, 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)[1]).toBe('created tea for nobody');
    expect(getOfferedTools(session)[2]).toEqual(getOfferedTools(session)[1]);
  });

  it('runs the first inner tool that its input names (UNF-26)', async () => {
    const session = createSession(
      [createTasks()],
      [callTools(['tasks', { what: 1, list: {}, create_task: { title: 'x' } }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['list done']);
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
    const session = createSession([createTasks()], [callTools(['tasks', input]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('create_task', 'list')]);
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
    const session = createSession([createTasks(note)], [callTools(['tasks', { note: value }]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([`noted ${text}`]);
  });

  it('returns the error of the inner tool for an invalid input, and opens no tools (UNF-27)', async () => {
    const session = createSession([createTasks()], [callTools(['tasks', { create_task: {} }]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)[0]).toMatch(
      /^Error: The input of tool 'create_task' is not valid:\n- title: /,
    );
    expect(getOfferedTools(session)[1]).toEqual(['tasks']);
  });

  it('finds an inner tool in any category, and opens all of them (UNF-26)', async () => {
    const tool = defineUnfolding({
      name: 'files',
      description: 'Files.',
      byCategory: { look: [createTool('read')], change: [createTool('write')] },
    });
    const session = createSession([tool], [callTools(['files', { write: {} }]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['write done']);
    expect(getOfferedTools(session)[1]).toEqual(['files', 'read', 'write']);
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
    const session = createSession(
      [defineUnfolding(look)],
      [callTools(['files', { category: 'look' }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('category', 'read')]);
  });

  it('is not assumed if the unfolding tool has a selector, because the selector chooses the tools', async () => {
    const tool = defineUnfolding({
      name: 'tasks',
      description: 'Tasks.',
      tools: [create],
      input: v.looseObject({}),
      select: () => [createTool('list')],
    });
    const session = createSession([tool], [SHORTCUT_REPLY, 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('list')]);
  });
});

describe('a shortcut, like a direct call of the inner tool,', () => {
  it('is checked by the policy `isEligible` (UNF-27, SPM-08)', async () => {
    const seen: unknown[] = [];
    const isEligible: EligibilityCheck = (call) => {
      seen.push(call);
      return call.name !== 'create_task';
    };
    const session = createSession([createTasks()], [SHORTCUT_REPLY, 'Done.'], { policies: { isEligible } });
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: Tool 'create_task' was not run: this call is not permitted.",
    ]);
    expect(seen).toEqual([{ id: expect.any(String), name: 'create_task', input: '{"title":"tea"}' }]);
    expect(getOfferedTools(session)[1]).toEqual(['tasks']);
  });

  it('is observed as a call of the inner tool (UNF-27)', async () => {
    const seen: string[] = [];
    const watched = withObservability(create, ({ tool }) => void seen.push(tool));
    const session = createSession([createTasks(watched)], [SHORTCUT_REPLY, 'Done.']);
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
    const session = createSession([createTasks(pay)], [callTools(['tasks', { pay: {} }]), 'Done.']);
    await session.send('Go.');
    expect(runs).toBe(1);
    expect(getLastResults(session)).toEqual(['found paid']);
    expect(getOfferedTools(session)[1]).toEqual(['tasks', 'list', 'pay']);
  });

  /** Returns a session with a shortcut to an inner tool that requires approval. */
  const createApprovalSession = () =>
    createSession(
      [createTasks(requireApproval(create, ({ title }) => `Create ${title}?`))],
      [SHORTCUT_REPLY, 'Done.'],
    );

  it('waits for approval, survives a crash, and then runs (UNF-27, AEA-12)', async () => {
    const session = createApprovalSession();
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'suspended',
      pending: [{ message: 'Create tea?', input: { title: 'tea' }, schema: create.inputSchema }],
    });
    session.restart();
    expect(await session.decide('tasks', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(getLastResults(session)).toEqual(['created tea for nobody']);
    expect(getOfferedTools(session)[1]).toEqual(['tasks', 'create_task', 'list']);
  });

  it('accepts an edit of the inner input (UNF-27)', async () => {
    const session = createApprovalSession();
    await session.send('Go.');
    await session.decide('tasks', { decision: 'edit', input: { title: 'coffee' } });
    expect(getLastResults(session)).toEqual([
      'created coffee for nobody\nNote: whoever approved this call changed its input to {"title":"coffee"}.',
    ]);
  });

  it('leaves the unfolding tool closed after a rejection (UNF-27)', async () => {
    const session = createApprovalSession();
    await session.send('Go.');
    await session.decide('tasks', { decision: 'reject', reason: 'No.' });
    expect(getLastResults(session)).toEqual([
      "Error: This call of 'create_task' was declined and did not run. Do not repeat it unchanged. Reason: No.",
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['tasks']);
  });

  it('runs after other calls with the same serial key (UNF-27)', async () => {
    const steps: string[] = [];
    const createSlowTool = (name: string) =>
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
    const session = createSession(
      [createTasks(createSlowTool('one'), createSlowTool('two'))],
      [callTools(['tasks', { one: {} }], ['tasks', { two: {} }]), 'Done.'],
    );
    await session.send('Go.');
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('opens the unfolding tool even if the Worker is killed in the next iteration', async () => {
    const session = createSession(
      [createTasks(), createCrashTool(() => session)],
      [SHORTCUT_REPLY, callTools('list', 'crash'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['created tea for nobody', 'list done', 'crashed']);
  });
});
