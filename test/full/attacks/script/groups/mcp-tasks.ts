/**
 * Tasks of MCP clients, which are turns: ids of other callers, invalid ids, and tasks without authentication.
 */
import { type Attack, type Check, hasStatus, isAnswer, lacksText, passesAll } from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';
import { PENDING, VAULT, type Victims } from '../victims.ts';

const REVISION = '2026-07-28';
const EXTENSIONS = { 'io.modelcontextprotocol/tasks': {} };

/** Sends a request, by default as a client that supports tasks. */
async function sendRpc(
  { ann }: Pick<Scene, 'ann'>,
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object = { extensions: EXTENSIONS, elicitation: { form: {} } },
): Promise<ReceivedResponse> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const { taskId, name = taskId } = params;
  const came = await ann.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      // Headers encode non-ASCII text in this form.
      'mcp-name': `=?base64?${Buffer.from(String(name)).toString('base64')}?=`,
    },
  );
  const data = /^data: (.*)$/m.exec(came.text.split('\n').toReversed().join('\n'))?.[1];
  return data === undefined ? came : { ...came, json: JSON.parse(data) };
}

/** Builds a task id in the endpoint's format. */
const formatTaskId = (session: string, turn: string): string =>
  Buffer.from(`clerk/${session}/${turn}/known`).toString('base64url');

const isUnknownTask: Check = passesAll(isAnswer(200, { error: { code: -32602 } }), lacksText(/ZETA/));

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Ids that the endpoint has never issued. */
const oddIds: readonly (readonly [what: string, id: unknown])[] = [
  ['a path', '../../vault'],
  ['empty', ''],
  ['a list', ['a']],
  ['half of an id', formatTaskId(VAULT, 't').slice(0, 9)],
  ['an id with a session too many', Buffer.from('clerk/a/b/c/known').toString('base64url')],
  ['of a tool', Buffer.from('pay/s/t/new').toString('base64url')],
  ['of __proto__', Buffer.from('__proto__/s/t/new').toString('base64url')],
  ['without end', 'QUFB'.repeat(1_000)],
];

export const listMcpTaskAttacks = ({ turn, suspended, call }: Victims): readonly Attack[] => [
  ...METHODS.flatMap((method) =>
    [formatTaskId(VAULT, turn), formatTaskId(PENDING, suspended)].map(
      (taskId, at): Attack => ({
        name: `${method} finds no task for ${at === 0 ? 'a turn' : 'a waiting turn'} of zeta`,
        act: (scene) => {
          const approve = { action: 'accept', content: { decision: 'approve' } };
          return sendRpc(scene, method, { taskId, inputResponses: { [`${call}#0`]: approve } });
        },
        comes: isUnknownTask,
      }),
    ),
  ),
  ...oddIds.map(
    ([what, taskId]): Attack => ({
      name: `a task id that is ${what} finds no task`,
      act: (scene) => sendRpc(scene, 'tasks/get', { taskId }),
      comes: isUnknownTask,
    }),
  ),
  {
    name: 'a client without support for tasks receives no task and cannot query one',
    async act(scene) {
      const called = await sendRpc(
        scene,
        'tools/call',
        { name: 'plain', arguments: { message: scene.play('Mine.') } },
        {},
      );
      const asked = await sendRpc(scene, 'tasks/get', { taskId: formatTaskId(VAULT, turn) }, {});
      return [Object(called.json?.result).resultType, Object(asked.json?.error).code];
    },
    comes: ['complete', -32021],
  },
  {
    name: 'another caller can neither read nor cancel a task',
    async act(scene) {
      const input = { message: scene.play('For Ann.') };
      const made = await sendRpc(scene, 'tools/call', { name: 'plain', arguments: input });
      const { taskId } = Object(made.json?.result);
      const others = await Promise.all(
        METHODS.map((method) => sendRpc({ ann: scene.zoe }, method, { taskId })),
      );
      let own: ReceivedResponse;
      do own = await sendRpc(scene, 'tasks/get', { taskId });
      while (Object(own.json?.result).status === 'working');
      return [...others.map(({ json }) => Object(json?.error).code), Object(own.json?.result).status];
    },
    comes: [-32602, -32602, -32602, 'completed'],
  },
  ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'].map(
    (path): Attack => ({
      name: `${path} returns nothing for an app without authorization servers`,
      act: ({ ann }) => ann.get(path),
      comes: passesAll(hasStatus(404), lacksText(/authorization_servers|ZETA/)),
    }),
  ),
];
