import { describe, expect, it } from 'vitest';
import { AREAS, COLLECTIONS } from '../../../../src/examples/workspace/areas.ts';
import { workspace } from '../../../../src/examples/workspace/workspace.ts';
import type { AnyTool } from '../../../../src/index.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { getModelText } from '../../../doors/tools.ts';
import { createTestApp } from '../http/app.ts';

const computeDepth = ({ inner = [] }: AnyTool): number => 1 + Math.max(0, ...inner.map(computeDepth));
const listLeaves = (tool: AnyTool): readonly AnyTool[] =>
  tool.inner ? tool.inner.flatMap(listLeaves) : [tool];

/** Returns the calls of the last turn, each with its result for the model. */
async function listLastCalls(session: TestSession): Promise<readonly (readonly [string, string])[]> {
  const { messages } = await session.state();
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  return turn.flatMap((message) =>
    message.role === 'assistant'
      ? message.calls.map(({ name, input, ended }): readonly [string, string] => [
          `${name} ${input}`,
          ended ? getModelText(ended.result) : 'open',
        ])
      : [],
  );
}

const createCall = (name: string, input: object = {}) => ({ name, input });

/** Opens the collection, then makes each list of calls in one reply. */
const createInnerReplies = (
  area: string,
  collection: string,
  ...replies: readonly object[][]
): ScriptedReply[] => [
  { calls: [createCall(area)] },
  { calls: [createCall(collection)] },
  ...replies.map((calls) => ({ calls: calls as { name: string; input: object }[] })), // from `call` above
  'Done.',
];

const createScriptedSession = (...replies: readonly ScriptedReply[]): TestSession =>
  createTestSession(workspace, { replies });

describe('the tools of the workspace', () => {
  it('are more than a hundred, each three levels deep', () => {
    const leaves = workspace.tools.flatMap(listLeaves);
    expect(leaves).toHaveLength(126);
    expect(new Set(leaves.map(({ name }) => name)).size).toBe(126);
    expect(workspace.tools.flatMap(({ inner = [] }) => inner).every((tool) => computeDepth(tool) === 2)).toBe(
      true,
    );
    expect(workspace.tools.map(computeDepth)).toEqual(AREAS.map(() => 3));
  });

  it('are all behind six unfolding tools, which are the only tools that the model sees at first', async () => {
    const session = createScriptedSession('Hello.');
    await session.send('Hello');
    expect(session.requests[0]?.tools.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      'calendar: Events, reminders, and reservations of rooms.',
      'files: Documents, the folders they lie in, and templates for them.',
      'money: Invoices, expenses, and the budgets they are paid from.',
      'notebook: Notes, bookmarks, and minutes of events.',
      'people: Contacts, their companies, and teams.',
      'planning: Tasks, the milestones they lead to, and risks.',
    ]);
  });

  it('are all listed by GET /agents', async () => {
    const answer = await createTestApp({ agents: [workspace], model: offlineModel() })('/agents');
    const told = JSON.stringify(await answer.json());
    const names = workspace.tools.flatMap(listLeaves).map(({ name }) => `"name":"${name}"`);
    expect(names.filter((name) => !told.includes(name))).toEqual([]);
  });

  it('are made from tables with consistent terms', () => {
    const names = new Set(COLLECTIONS.map(({ many }) => many));
    const prefixes = COLLECTIONS.map(({ prefix }) => prefix);
    expect(names.size).toBe(COLLECTIONS.length);
    expect(new Set(prefixes).size).toBe(prefixes.length);
    for (const { fields, refersTo } of COLLECTIONS) {
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(['title', ...Object.keys(refersTo)]));
      expect([...names]).toEqual(expect.arrayContaining(Object.values(refersTo)));
    }
  });

  it('open area by area, and describe the ids', async () => {
    const session = createScriptedSession(...createInnerReplies('planning', 'tasks'));
    await session.send('What can I do with tasks?');
    expect((await listLastCalls(session)).map(([, text]) => text)).toEqual([
      "Tools now available: tasks, milestones, risks. You MUST call one of these tools to complete the user's request. " +
        'Do NOT respond with text — call a tool.',
      'Tools now available: add_task, list_tasks, find_tasks, read_task, update_task, remove_task, complete_task, ' +
        "reopen_task. You MUST call one of these tools to complete the user's request. Do NOT respond with text — " +
        'call a tool.\n\nIds look like T-1.',
    ]);
    const shown = session.requests[2]?.tools.find(({ name }) => name === 'update_task');
    expect(shown?.description).toBe('Update a task: what is not given stays.');
    expect(Object.keys(Object(shown?.inputSchema.properties))).toEqual([
      ...['taskId', 'title', 'due', 'milestoneId', 'contactId'],
    ]);
    expect(shown?.inputSchema.required).toEqual(['taskId']);
  });
});

describe('the objects of the workspace', () => {
  it('exist in the next turn, even after the object has restarted', async () => {
    const write = createCall('add_document', { title: 'Log', text: 'Day one.' });
    const session = createScriptedSession(
      ...createInnerReplies('files', 'documents', [write]),
      ...createInnerReplies('files', 'documents', [createCall('read_document', { documentId: 'D-1' })]),
    );
    await session.send('Write it down.');
    session.restart();
    await session.send('What does it say?');
    expect((await listLastCalls(session)).at(-1)?.[1]).toBe(
      '{"documentId":"D-1","title":"Log","text":"Day one.","status":"draft"}',
    );
  });

  it('get unique ids, even within one reply, and ids are never reused', async () => {
    const add = (title: string) => createCall('add_risk', { title });
    const session = createScriptedSession(
      ...createInnerReplies(
        'planning',
        'risks',
        [add('Fog'), add('Ice'), createCall('remove_risk', { riskId: 'R-2' }), add('Rot')],
        [createCall('list_risks')],
      ),
    );
    await session.send('Which risks are there?');
    expect((await listLastCalls(session)).at(-1)?.[1]).toBe(
      '[{"riskId":"R-3","title":"Rot","status":"open"},{"riskId":"R-1","title":"Fog","status":"open"}]',
    );
  });

  it('are changed by update tools, and are moved by a tool with its own verb', async () => {
    const id = { eventId: 'E-1' };
    const session = createScriptedSession(
      ...createInnerReplies(
        'calendar',
        'events',
        [createCall('add_event', { title: 'Launch', date: '2026-12-24', place: 'Quay' })],
        [createCall('update_event', { ...id, date: '2026-12-23' }), createCall('cancel_event', id)],
        [createCall('read_event', id)],
      ),
    );
    await session.send('The launch is off.');
    expect((await listLastCalls(session)).at(-1)?.[1]).toBe(
      '{"eventId":"E-1","title":"Launch","date":"2026-12-23","place":"Quay","status":"cancelled"}',
    );
  });

  it('are found by search words, with the best match first', async () => {
    const createNoteCall = (title: string, text: string) => createCall('add_note', { title, text });
    const session = createScriptedSession(
      ...createInnerReplies(
        'notebook',
        'notes',
        [
          createNoteCall('One', 'A lantern'),
          createNoteCall('Two', 'Storm lantern'),
          createNoteCall('Three', 'Rope'),
        ],
        [createCall('find_notes', { query: 'storm lantern' }), createCall('find_notes', { query: 'tar' })],
      ),
    );
    await session.send('Where is the lantern?');
    expect((await listLastCalls(session)).slice(-2).map(([, text]) => text)).toEqual([
      '[{"noteId":"N-2","title":"Two","pinned":false},{"noteId":"N-1","title":"One","pinned":false}]',
      'No note holds any of these words.',
    ]);
  });

  it('keep their references', async () => {
    const session = createScriptedSession(
      { calls: [createCall('files')] },
      { calls: [createCall('documents'), createCall('folders')] },
      { calls: [createCall('add_folder', { title: 'Boats' })] },
      { calls: [createCall('add_document', { title: 'Log', text: '', folderId: 'F-1' })] },
      {
        calls: [
          createCall('add_document', { title: 'Log', text: '', folderId: 'F-9' }),
          createCall('update_document', { documentId: 'D-1', folderId: 'F-9' }),
          createCall('remove_folder', { folderId: 'F-1' }),
          createCall('remove_document', { documentId: 'D-1' }),
          createCall('remove_folder', { folderId: 'F-1' }),
        ],
      },
      'Done.',
    );
    await session.send('Tidy up.');
    const noFolder =
      'Error: There is no folder F-9. Use list_folders or find_folders to see which there are.';
    expect((await listLastCalls(session)).slice(-5).map(([, text]) => text)).toEqual([
      noFolder,
      noFolder,
      'Error: F-1 is still used by D-1. Nothing was removed.',
      'D-1 is removed.',
      'F-1 is removed.',
    ]);
  });

  it.each([
    [
      'read_task',
      { taskId: 'T-9' },
      'Error: There is no task T-9. Use list_tasks or find_tasks to see which there are.',
    ],
    [
      'complete_task',
      { taskId: '__proto__' },
      'Error: There is no task __proto__. Use list_tasks or find_tasks to see which there are.',
    ],
    ['update_task', { taskId: 'T-1' }, 'Error: Nothing to change was given.'],
    ['list_tasks', {}, '[{"taskId":"T-1","title":"Caulk","status":"open"}]'],
  ])('return the expected text for %s %j', async (name, input, text) => {
    const add = createCall('add_task', { title: 'Caulk' });
    const session = createScriptedSession(
      ...createInnerReplies('planning', 'tasks', [add, createCall(name, input)]),
    );
    await session.send('Do it.');
    expect((await listLastCalls(session)).at(-1)?.[1]).toBe(text);
  });

  it('do not exist until they are added', async () => {
    const session = createScriptedSession(
      ...createInnerReplies('planning', 'risks', [createCall('list_risks')]),
    );
    await session.send('Which risks are there?');
    expect((await listLastCalls(session)).at(-1)?.[1]).toBe('There are no risks.');
  });
});

describe('the workspace with the offline planner', () => {
  const createOfflineSession = (): TestSession => createTestSession(workspace, { model: offlineModel() });

  it('writes a document three levels down, and reads it in the next turn, after a restart', async () => {
    const session = createOfflineSession();
    await session.send('Add a document "Packing list" with the text "Two lines, one lantern"');
    expect((await listLastCalls(session)).map(([asked]) => asked)).toEqual([
      'files {}',
      'documents {}',
      'add_document {"title":"Packing list","text":"Two lines, one lantern"}',
    ]);
    session.restart();
    const answer = await session.send('What does document D-1 say?');
    expect(answer).toMatchObject({ outcome: 'completed', iterations: 4, toolCalls: 3 });
    expect(answer.text).toContain('text: Two lines, one lantern');
  });

  it.each([1, 2, 3, 4, 5])(
    'writes once even if the Worker is killed while it waits for reply %i',
    async (fatal) => {
      const model = offlineModel();
      let asked = 0;
      const session: TestSession = createTestSession(workspace, {
        model: {
          ...model,
          ask(request, options) {
            asked += 1;
            if (asked === fatal) session.kill();
            return model.ask(request, options);
          },
        },
      });
      const { outcome } = await session.send('Add a folder "Boats"');
      session.restart();
      await session.send('List the folders');
      expect(outcome).toBe('completed');
      expect((await listLastCalls(session)).at(-1)?.[1]).toBe('[{"folderId":"F-1","title":"Boats"}]');
    },
  );

  it('uses two areas in one turn', async () => {
    const session = createOfflineSession();
    await session.send(
      'Add a company "Kelp & Cordage", then add an invoice "Sails" of 300 euro for company CO-1',
    );
    expect((await listLastCalls(session)).map(([asked]) => asked)).toEqual([
      'people {}',
      'companies {}',
      'add_company {"title":"Kelp & Cordage"}',
      'money {}',
      'invoices {}',
      'add_invoice {"title":"Sails","amount":300,"companyId":"CO-1"}',
    ]);
  });
});
