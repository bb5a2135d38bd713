/** Decisions by the wrong person, repeated decisions, and late ones. */
import { type Attack, type Check, formatResponse, hasStatus, isProblem } from '../attack.ts';
import { listPendingCalls } from '../http.ts';
import { pollUntilEnded } from '../patience.ts';
import type { Victims } from '../victims.ts';
import { decideOn, isInvalidBody, isRoleNeeded, startWaitingTurn } from './waiting.ts';

const decisions = ['approve', 'edit', 'reject', 'exit'] as const;

/** Bodies without a valid decision. */
const bodies: readonly (readonly [what: string, body: unknown, comes: Check])[] = [
  ['no decision', {}, isInvalidBody('decision: is missing')],
  [
    'an unknown decision',
    { decision: 'APPROVE' },
    isInvalidBody('decision: must be approve, edit, reject or exit'),
  ],
  [
    'a decision that is a list',
    { decision: ['approve'] },
    isInvalidBody('decision: must be approve, edit, reject or exit'),
  ],
  [
    'a repeated key with two decisions',
    '{"decision":"reject","decision":"approved"}',
    isInvalidBody('decision: must be approve, edit, reject or exit'),
  ],
  [
    'an approval with an input',
    { decision: 'approve', input: { amount: 999 } },
    isInvalidBody('input: is for the decision edit only'),
  ],
  ['an edit without an input', { decision: 'edit' }, isInvalidBody('input: is missing')],
  [
    'an edit whose input is a list',
    { decision: 'edit', input: [5] },
    isInvalidBody('input: must be a JSON object'),
  ],
  ['a decider', { decision: 'approve', by: 'manager' }, isInvalidBody('by: is not known here')],
  ['roles', { decision: 'approve', roles: ['manager'] }, isInvalidBody('roles: is not known here')],
  [
    'a reason of excessive length',
    { decision: 'reject', reason: 'x'.repeat(2001) },
    isInvalidBody('reason: must be text of at most 2000 characters'),
  ],
  ['a list', '[{"decision":"approve"}]', isInvalidBody('it must be a JSON object')],
  ['a body that is not JSON', 'approve', isProblem(400, 'bad-json', 'The body is not JSON.')],
];

/** Invalid call ids in a path. */
const ids = ['x', '..', '%2e%2e', '%00', 'a%2Fb', '__proto__', '1.2.3', `${'9'.repeat(300)}.1.0`];

const isAlreadyAnswered = isProblem(
  409,
  'already-answered',
  'This question has already been answered. GET /agents/clerk/sessions/{session} shows the state of the session.',
);

const roleAttacks: readonly Attack[] = [
  ...decisions.map(
    (decision): Attack => ({
      name: `a caller without the role cannot ${decision}`,
      act: decideOn({ decision, ...(decision === 'edit' && { input: { amount: 1 } }) }, 'ann'),
      comes: isRoleNeeded,
    }),
  ),
  ...(['Manager', 'manager ', 'managers', 'man\u0430ger', '*', 'manager\u0000'] as const).map(
    (role): Attack => ({
      name: `the role ${JSON.stringify(role)} does not count as manager`,
      async act(scene) {
        const { path } = await startWaitingTurn(scene, 'refund');
        const other = scene.who({ sub: 'eve', tenant: 'acme', roles: [role] });
        const came = await other.post(path, { decision: 'approve' });
        await scene.rolf.del(scene.own);
        return came;
      },
      comes: isRoleNeeded,
    }),
  ),
  {
    name: 'a manager of another tenant cannot decide, even with the id of the call',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      const came = await scene.zoe.post(path, { decision: 'approve' });
      await scene.rolf.del(scene.own);
      return came;
    },
    comes: isProblem(404, 'unknown-session'),
  },
  {
    name: 'a caller without the role cannot decline a call with ?pending=decline',
    async act(scene) {
      const { ann, own } = scene;
      await startWaitingTurn(scene, 'refund');
      const came = await ann.post(`${own}/messages?pending=decline`, { message: 'Go on.' });
      const still = await ann.get(own);
      await scene.rolf.del(own);
      return [formatResponse(came), listPendingCalls(still).length];
    },
    comes: ['403 role-required', 1],
  },
  {
    name: 'a caller without the role cannot cancel a turn that waits for that role',
    act: async (scene) => {
      const { turn } = await startWaitingTurn(scene, 'refund');
      return scene.ann.post(`${scene.own}/cancel?turn=${turn}`);
    },
    comes: isProblem(
      403,
      'role-required',
      "Turn … waits for a person with the role 'manager', and only they may cancel it. Send the token of a person with this role.",
    ),
  },
  {
    name: 'a caller without the role cannot erase a session whose turn waits for that role',
    act: async (scene) => {
      await startWaitingTurn(scene, 'refund');
      return scene.ann.del(scene.own);
    },
    comes: isProblem(
      403,
      'role-required',
      "Turn … of this session waits for a person with the role 'manager', and only they may erase it. Send the token of a person with this role.",
    ),
  },
];

const repeatAttacks: readonly Attack[] = [
  {
    name: 'a repeated decision has no further effect',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      const first = await scene.rolf.post(path, { decision: 'approve' });
      return first.status === 200 ? scene.rolf.post(path, { decision: 'approve' }) : first;
    },
    comes: isAlreadyAnswered,
    effects: ['refund 5 for acme'],
  },
  {
    name: 'one of twenty concurrent approvals is accepted, and one payment is made',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      const all = await Promise.all(
        Array.from({ length: 20 }, () => scene.rolf.post(path, { decision: 'approve' })),
      );
      return [...new Set(all.map(formatResponse))].toSorted();
    },
    comes: ['200', '409 already-answered'],
    effects: ['refund 5 for acme'],
  },
  {
    name: 'a rejection cannot be turned into an approval',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      await scene.rolf.post(path, { decision: 'reject' });
      return scene.rolf.post(path, { decision: 'approve' });
    },
    comes: isAlreadyAnswered,
  },
  {
    name: "a decider's key does not replay the decision for another caller",
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      const key = { 'idempotency-key': 'k' };
      await scene.rolf.post(path, { decision: 'approve' }, key);
      const other = scene.who({ sub: 'rita', tenant: 'acme', roles: ['manager'] });
      return other.post(path, { decision: 'approve' }, key);
    },
    comes: isAlreadyAnswered,
    effects: ['refund 5 for acme'],
  },
  {
    name: 'a key that was used for a rejection cannot be used for an approval',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      const key = { 'idempotency-key': 'k' };
      await scene.rolf.post(path, { decision: 'reject' }, key);
      return scene.rolf.post(path, { decision: 'approve' }, key);
    },
    comes: isAlreadyAnswered,
  },
  {
    name: 'an approval after its expiry pays nothing',
    async act(scene) {
      const { path, turn } = await startWaitingTurn(scene, 'brief');
      await pollUntilEnded(() => scene.ann.get(`${scene.own}/turns/${turn}`));
      return scene.rolf.post(path, { decision: 'approve' });
    },
    comes: isProblem(409, 'approval-expired'),
  },
  {
    name: 'an approval in a cancelled turn pays nothing',
    async act(scene) {
      const { path, turn } = await startWaitingTurn(scene, 'refund');
      await scene.rolf.post(`${scene.own}/cancel?turn=${turn}`);
      await pollUntilEnded(() => scene.ann.get(`${scene.own}/turns/${turn}`));
      return scene.rolf.post(path, { decision: 'approve' });
    },
    comes: hasStatus(409),
  },
  {
    name: 'an approval in an erased session returns 404',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      await scene.rolf.del(scene.own);
      return scene.rolf.post(path, { decision: 'approve' });
    },
    comes: isProblem(404, 'unknown-session'),
  },
];

export const listApprovalAttacks = ({ call }: Victims): readonly Attack[] => [
  ...roleAttacks,
  ...bodies.map(
    ([what, body, comes]): Attack => ({
      name: `${what} does not decide the call`,
      act: decideOn(body),
      comes,
    }),
  ),
  ...repeatAttacks,
  ...ids.map(
    (id): Attack => ({
      name: `the call ${id.slice(0, 20)} cannot be approved`,
      async act(scene) {
        await startWaitingTurn(scene, 'refund');
        const came = await scene.rolf.post(`${scene.own}/approvals/${id}`, { decision: 'approve' });
        await scene.rolf.del(scene.own);
        return came;
      },
      comes: hasStatus(404),
    }),
  ),
  {
    name: "zeta's call does not exist in a session of acme",
    async act(scene) {
      await startWaitingTurn(scene, 'refund');
      const came = await scene.rolf.post(`${scene.own}/approvals/${call}`, { decision: 'approve' });
      await scene.rolf.del(scene.own);
      return came;
    },
    comes: isProblem(404, 'unknown-call'),
  },
];
