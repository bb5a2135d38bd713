/**
 * A2A's `ListTasks` with its own client: the last task of each context, from the index, or all tasks of one
 * context.
 */

import { env } from 'cloudflare:workers';
import { type ListTasksRequest, Role, type Task, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { a2a } from '../../../../src/examples/a2a/a2a.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { indexOf, sessionIndex } from '../../../../src/modules/index/entry.ts';
import { indexed } from '../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { ORIGIN, readJson, type Send } from '../http/client.ts';
import { createTenant } from '../modules/index/indexed.ts';

/** Only its index is used, because the app under test has the same sessions. */
const indexedApp = createHoldfast({ agents: [indexed], use: [sessionIndex()] });

const a2aUses = [
  answers,
  sessionIndex(),
  a2a({ agents: ['indexed'], index: () => indexOf(indexedApp, env) }),
];

const payReply = { calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] };

/** A tenant with an official A2A client of its agent. */
async function createDesk() {
  const shop = createTenant({ use: a2aUses });
  const { talk, send } = await createTestClient(shop.via);
  const fetchTasks = async (params: Partial<ListTasksRequest> = {}) =>
    talk.listTasks({
      ...{ tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
      ...{ statusTimestampAfter: undefined, ...params },
    });
  const listIds = async (params: Partial<ListTasksRequest> = {}) =>
    (await fetchTasks(params)).tasks.map(({ id }) => id);
  return { shop, send, list: fetchTasks, ids: listIds };
}

async function createTestClient(via: Send) {
  const fetchImpl: typeof fetch = async (url, init) => via(String(url), init as RequestInit);
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  const talk = await factory.createFromUrl(`${ORIGIN}/a2a/indexed/`);
  const send = async (contextId: string, ...replies: Parameters<typeof registerScript>): Promise<Task> => {
    const text = registerScript(...replies).message('Hello');
    const part = {
      content: { $case: 'text', value: text },
      metadata: undefined,
      filename: '',
      mediaType: '',
    };
    const answer = await talk.sendMessage({
      tenant: '',
      message: {
        ...{ messageId: crypto.randomUUID(), contextId, taskId: '', role: Role.ROLE_USER },
        ...{ parts: [part as never], metadata: undefined, extensions: [], referenceTaskIds: [] }, // in the form that the SDK creates
      },
      configuration: {
        ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false },
      },
      metadata: undefined,
    });
    if (!('status' in answer)) throw new Error('The agent returned a message instead of a task.');
    return answer;
  };
  return { talk, send };
}

/** Returns the content of a JSON-RPC error. */
async function callRpc({ via }: { readonly via: Send }, params: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params });
  const headers = { 'content-type': 'application/json' };
  const { error } = await readJson(await via('/a2a/indexed', { method: 'POST', headers, body }));
  const { code, message } = Object(error);
  return [code, message];
}

describe('ListTasks', { timeout: 60_000 }, () => {
  it('lists the last task of each context in pages, the latest first, with its status', async () => {
    const { send, list, ids } = await createDesk();
    expect(await list()).toMatchObject({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    const { id: a } = await send('a', 'One.');
    await expect.poll(() => ids()).toEqual([a]);
    const { id: b } = await send('b', payReply);
    await expect.poll(() => ids()).toEqual([b, a]);
    const { id: c } = await send('c');
    await expect.poll(() => ids()).toEqual([c, b, a]);
    const { tasks, totalSize } = await list();
    expect(totalSize).toBe(3);
    expect(tasks.map(({ contextId, status }) => [contextId, status?.state])).toEqual([
      ['c', TaskState.TASK_STATE_FAILED],
      ['b', TaskState.TASK_STATE_INPUT_REQUIRED],
      ['a', TaskState.TASK_STATE_COMPLETED],
    ]);
    const first = await list({ pageSize: 2 });
    expect(first).toMatchObject({ tasks: [{ id: c }, { id: b }], pageSize: 2, totalSize: 3 });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second).toMatchObject({ tasks: [{ id: a }], nextPageToken: '', totalSize: 3 });
    expect(await ids({ status: TaskState.TASK_STATE_COMPLETED })).toEqual([a]);
    expect(await ids({ status: TaskState.TASK_STATE_FAILED })).toEqual([c]);
    expect(await ids({ status: TaskState.TASK_STATE_INPUT_REQUIRED })).toEqual([b]);
    for (const state of [
      TaskState.TASK_STATE_WORKING,
      TaskState.TASK_STATE_CANCELED,
      TaskState.TASK_STATE_REJECTED,
    ])
      expect(await ids({ status: state })).toEqual([]);
    const since = tasks[1]?.status?.timestamp;
    expect(await ids({ statusTimestampAfter: since })).toEqual([c, b]);
  });

  it('lists all tasks of one context, with history and artifacts if they are requested', async () => {
    const { send, list, ids } = await createDesk();
    const { id: first } = await send('a', 'One.', 'Two.', 'Three.');
    const { id: second } = await send('a');
    const { id: third } = await send('a');
    expect(await ids({ contextId: 'a' })).toEqual([third, second, first]);
    const page = await list({ contextId: 'a', pageSize: 2 });
    expect(page).toMatchObject({ tasks: [{ id: third }, { id: second }], totalSize: 3 });
    expect(await ids({ contextId: 'a', pageSize: 2, pageToken: page.nextPageToken })).toEqual([first]);
    expect(page.tasks[0]).toMatchObject({ history: [], artifacts: [] });
    const more = await list({ contextId: 'a', pageSize: 1, historyLength: 1, includeArtifacts: true });
    const said = [{ content: { $case: 'text', value: 'Three.' } }];
    expect(more.tasks).toMatchObject([{ history: [{ parts: said }], artifacts: [{ parts: said }] }]);
    expect(await list({ contextId: 'none' })).toMatchObject({ tasks: [], nextPageToken: '', totalSize: 0 });
  });

  it('shows no task of another owner, or of an erased session', async () => {
    const [one, other] = [await createDesk(), await createDesk()];
    const { id } = await one.send('a', 'One.');
    await expect.poll(() => one.ids()).toEqual([id]);
    expect(await other.ids()).toEqual([]);
    expect(await other.ids({ contextId: 'a' })).toEqual([]);
    await one.shop.via('/agents/indexed/sessions/a', { method: 'DELETE' });
    expect(await one.ids()).toEqual([]);
  });

  it.each([
    [{ pageSize: 0 }, 'pageSize must be a whole number from 1 to 100'],
    [{ pageSize: 101 }, 'pageSize must be a whole number from 1 to 100'],
    [{ pageToken: 'x' }, 'pageToken must be the nextPageToken of the previous page'],
    [{ contextId: 'a', pageToken: 'x' }, 'pageToken must be the nextPageToken of the previous page'],
    [{ pageToken: 7 }, 'pageToken must be a string'],
    [{ historyLength: -1 }, 'historyLength must be a whole number of at least 0'],
    [{ statusTimestampAfter: 'yesterday' }, 'statusTimestampAfter must be an ISO 8601 time'],
    [{ contextId: 'a', statusTimestampAfter: 'now' }, 'statusTimestampAfter must be an ISO 8601 time'],
    [{ includeArtifacts: 'yes' }, 'includeArtifacts must be true or false'],
    [{ contextId: {} }, 'contextId must be a string'],
  ])('refuses the params %j', async (params, said) => {
    const { shop } = await createDesk();
    expect(await callRpc(shop, params)).toEqual([-32602, `The params are not valid: ${said}.`]);
  });
});
