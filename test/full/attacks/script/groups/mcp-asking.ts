/**
 * Questions of a waiting turn to MCP clients: forged states, states of other callers, and repeated answers.
 */
import { createHash } from 'node:crypto';
import { type Attack, type Check, isAnswer } from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import type { Person } from '../person.ts';
import type { Scene } from '../scene.ts';
import { PENDING, type Victims } from '../victims.ts';

const REVISION = '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** Calls the clerk as a client that shows forms, or sends the follow-up request. */
async function ask(by: Person, input: object, more: object = {}): Promise<ReceivedResponse> {
  const params = { name: 'clerk', arguments: input, ...more, _meta: META };
  const came = await by.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'clerk',
    },
  );
  const data = /^data: (.*)$/m.exec(came.text.split('\n').toReversed().join('\n'))?.[1];
  return data === undefined ? came : { ...came, json: JSON.parse(data) };
}

const approve = { action: 'accept', content: { decision: 'approve' } };

/** Returns a request state in the format of the endpoint, with any ids. */
function createState(named: { session: string; turn: string; call: string }, input: object): string {
  const { message, session = null } = input as { message: string; session?: string }; // the attacks call the tool with these arguments
  const call = createHash('sha256')
    .update(JSON.stringify(['clerk', message, session]))
    .digest('hex');
  const state = { session: named.session, turn: named.turn, asked: [`${named.call}#0`], call };
  return `holdfast-1.${btoa(JSON.stringify(state))}`;
}

/** Starts a refund that a manager of acme must approve. Returns it with the data for the answer. */
async function askForRefund(scene: Scene) {
  const message = scene.play([{ name: 'refund', input: { amount: 5 } }], 'Done.');
  const input = { message, session: scene.session };
  const { json } = await ask(scene.rolf, input);
  const { inputRequests, requestState } = Object(json?.result);
  const [key = ''] = Object.keys(Object(inputRequests));
  const answerAs = (by: Person, sent: unknown, state: unknown = requestState): Promise<ReceivedResponse> =>
    ask(by, input, { requestState: state, inputResponses: { [key]: sent } });
  return { key, input, requestState: String(requestState), answerAs };
}

/** Returns the text of the result, or its type if it asks for more input. */
const getLastText = ({ json }: ReceivedResponse): unknown => {
  const { resultType, content } = Object(json?.result);
  return resultType === 'input_required' ? resultType : Object(content?.at(-1)).text;
};

const isInvalidState: Check = isAnswer(200, { error: { code: -32602 } });

const getErrorCode = (came: ReceivedResponse): unknown => Object(came.json?.error).code;

export const listMcpAskingAttacks = (victims: Victims): readonly Attack[] => [
  ...(['ann', 'rolf', 'impostor'] as const).map(
    (name): Attack => ({
      name: `a state that ${name} forged for zeta's question is refused`,
      async act(scene) {
        const input = { message: 'Refund it.' };
        const named = { session: PENDING, turn: victims.suspended, call: victims.call };
        const responses = { [`${victims.call}#0`]: approve };
        return getErrorCode(
          await ask(scene[name], input, {
            requestState: createState(named, input),
            inputResponses: responses,
          }),
        );
      },
      comes: -32602,
    }),
  ),
  {
    name: "a manager's state refunds nothing when another caller sends it",
    async act(scene) {
      const { answerAs } = await askForRefund(scene);
      const came = await answerAs(scene.ann, approve);
      const others = [await answerAs(scene.zoe, approve), await answerAs(scene.impostor, approve)];
      await scene.rolf.del(scene.own);
      return [
        String(getLastText(came)).includes("a person with the role 'manager'"),
        ...others.map(getErrorCode),
      ];
    },
    comes: [true, -32602, -32602],
  },
  {
    name: 'many concurrent copies of an approval refund once',
    async act(scene) {
      const { answerAs } = await askForRefund(scene);
      const came = await Promise.all([1, 2, 3, 4].map(() => answerAs(scene.rolf, approve)));
      await answerAs(scene.rolf, approve);
      return new Set(came.map(getLastText)).size;
    },
    comes: 1,
    effects: ['refund 5 for acme'],
  },
  {
    name: 'an answer cannot be withdrawn or replaced',
    async act(scene) {
      const { answerAs } = await askForRefund(scene);
      await answerAs(scene.rolf, { action: 'decline' });
      return String(getLastText(await answerAs(scene.rolf, approve))).includes(
        'This question has already been answered',
      );
    },
    comes: true,
  },
  ...[
    ['beside another amount', { decision: 'approve', amount: 5_000 }],
    ['with the decision in a list', { decision: ['approve'] }],
    ['in capitals', { decision: 'APPROVE' }],
    ['with an amount that is no number', { decision: 'edit', amount: { $gt: 0 } }],
  ].map(
    ([what, content]): Attack => ({
      name: `an approval ${what} is requested again and refunds nothing`,
      async act(scene) {
        const { answerAs } = await askForRefund(scene);
        const came = await answerAs(scene.rolf, { action: 'accept', content });
        await scene.rolf.del(scene.own);
        return getLastText(came);
      },
      comes: 'input_required',
    }),
  ),
  {
    name: 'the state of one call cannot answer another call or start a turn',
    async act(scene) {
      const { key, requestState, input } = await askForRefund(scene);
      const other = { message: scene.play('Mine.'), session: input.session };
      const more = { requestState, inputResponses: { [key]: approve } };
      const came = await ask(scene.rolf, other, more);
      const without = await ask(scene.rolf, other, { inputResponses: more.inputResponses });
      await scene.rolf.del(scene.own);
      return [getErrorCode(came), getErrorCode(without)];
    },
    comes: [-32602, -32602],
  },
  ...['', 'null', '{}', 'holdfast-1.', 'holdfast-1.bnVsbA==', '__proto__', 'x'.repeat(50_000)].map(
    (state): Attack => ({
      name: `the state ${JSON.stringify(state).slice(0, 30)} is refused`,
      act: (scene) =>
        ask(scene.rolf, { message: 'Hello.' }, { requestState: state, inputResponses: { a: approve } }),
      comes: isInvalidState,
    }),
  ),
];
