/** Decisions about the wrong call or with a changed input. */
import { type Attack, formatResponse, isAnswer, isProblem } from '../attack.ts';
import { listPendingCalls } from '../http.ts';
import { PENDING } from '../victims.ts';
import { decideOn, startWaitingTurn } from './waiting.ts';

export const listEditAttacks = (): readonly Attack[] => [
  ...(
    [{ amount: 5000 }, { amount: '5' }, { amount: -5 }, { amount: 5.5 }, {}, { amount: null }] as const
  ).map(
    (input): Attack => ({
      name: `an edit to the invalid input ${JSON.stringify(input)} pays nothing`,
      async act(scene) {
        const { path } = await startWaitingTurn(scene, 'refund');
        const came = await scene.rolf.post(path, { decision: 'edit', input });
        await scene.rolf.del(scene.own);
        return came;
      },
      comes: isProblem(422, 'invalid-body'),
    }),
  ),
  {
    name: "an edit pays the reviewer's amount once",
    act: decideOn({ decision: 'edit', input: { amount: 2 } }),
    comes: isAnswer(200, { text: 'Done.' }),
    effects: ['refund 2 for acme'],
  },
  {
    name: 'an approval of one call does not approve another call of the same tool',
    async act(scene) {
      const { ann, rolf, own, play } = scene;
      const message = play(
        [{ name: 'refund', input: { amount: 5 } }],
        [{ name: 'refund', input: { amount: 6 } }],
        'Done.',
      );
      const [first] = listPendingCalls(await ann.post(`${own}/messages`, { message }));
      const next = await rolf.post(first.links.approvals ?? '', { decision: 'approve' });
      const [second] = listPendingCalls(next);
      await rolf.del(own);
      return [next.status, second.call !== first.call];
    },
    comes: [202, true],
    effects: ['refund 5 for acme'],
  },
  {
    name: 'an answer to a second question is refused if the call asked only one',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'refund');
      const came = await scene.rolf.post(`${path}?question=2`, { decision: 'approve' });
      await scene.rolf.del(scene.own);
      return came;
    },
    comes: isProblem(
      409,
      'not-waiting',
      'Call … is not waiting for this answer. It has not asked 2 questions.',
    ),
  },
  ...['0', '-1', '1e3', '01', '1.0', 'NaN', '99999999', '%00'].map(
    (which): Attack => ({
      name: `the question ${which} does not exist`,
      act: ({ rolf, at }) =>
        rolf.post(`${at(PENDING)}/approvals/x?question=${which}`, { decision: 'approve' }),
      comes: isProblem(
        400,
        'invalid-query',
        'question must be the number of a question of the call, starting at 1.',
      ),
    }),
  ),
  {
    name: 'a result in place of a decision is refused',
    async act(scene) {
      const { call } = await startWaitingTurn(scene, 'refund');
      const came = await scene.rolf.post(`${scene.own}/results/${call}`, { result: { paid: true } });
      await scene.rolf.del(scene.own);
      return came;
    },
    comes: isProblem(409, 'wrong-answer'),
  },
  {
    name: 'a decision in place of a result is refused',
    async act(scene) {
      const { call } = await startWaitingTurn(scene, 'measure', { what: 'x' });
      const came = await scene.rolf.post(`${scene.own}/approvals/${call}`, { decision: 'approve' });
      await scene.rolf.del(scene.own);
      return came;
    },
    comes: isProblem(409, 'wrong-answer'),
  },
  {
    name: 'the requester of a transfer cannot approve it, regardless of roles',
    async act(scene) {
      const { rolf, own, play } = scene;
      const came = await rolf.post(`${own}/messages`, {
        message: play([{ name: 'transfer', input: { amount: 7 } }]),
      });
      const [{ links }] = listPendingCalls(came);
      const approved = await rolf.post(links.approvals ?? '', { decision: 'approve' });
      await scene.ann.del(own);
      return formatResponse(approved);
    },
    comes: '403 another-person-required',
  },
  {
    name: 'the requester of a transfer cannot approve it with a token that has other roles',
    async act(scene) {
      const { path } = await startWaitingTurn(scene, 'transfer');
      const other = scene.who({ sub: 'ann', tenant: 'acme', roles: ['manager', 'admin'] });
      const came = await other.post(path, { decision: 'edit', input: { amount: 1 } });
      await scene.rolf.del(scene.own);
      return formatResponse(came);
    },
    comes: '403 another-person-required',
  },
  {
    name: 'the inner tools of a guarded unfolding tool need approval, and opening it needs none',
    async act({ ann, rolf, own, play }) {
      const message = play(
        [{ name: 'vault', input: {} }],
        [{ name: 'take_gold', input: { amount: 9 } }],
        'Taken.',
      );
      const [{ tool, links }] = listPendingCalls(await ann.post(`${own}/messages`, { message }));
      const refused = await ann.post(links.approvals ?? '', { decision: 'approve' });
      await rolf.post(links.approvals ?? '', { decision: 'reject' });
      return [tool, formatResponse(refused)];
    },
    comes: ['take_gold', '403 role-required'],
  },
  {
    name: 'the inner tools of a guarded unfolding tool need approval in later turns, even after an approved call',
    async act({ ann, rolf, own, play }) {
      const first = play(
        [{ name: 'vault', input: {} }],
        [{ name: 'take_gold', input: { amount: 9 } }],
        'Taken.',
      );
      const [{ links }] = listPendingCalls(await ann.post(`${own}/messages`, { message: first }));
      await rolf.post(links.approvals ?? '', { decision: 'approve' });
      const second = play([{ name: 'take_gold', input: { amount: 8 } }], 'Taken.');
      const again = await ann.post(`${own}/messages`, { message: second });
      const [{ tool }] = listPendingCalls(again);
      await rolf.del(own);
      return [formatResponse(again), tool];
    },
    comes: ['202', 'take_gold'],
    effects: ['take_gold 9 for acme'],
  },
  {
    name: 'a reviewer sees the characters that reverse the direction of the text',
    async act(scene) {
      const { pending } = await startWaitingTurn(scene, 'memo', { text: 'pay \u202e0001\u2066 ok\u200b' });
      await scene.rolf.del(scene.own);
      return [/[\u202e\u2066\u200b]/.test(JSON.stringify(pending)), String(pending.message)];
    },
    comes: [false, 'Note pay \\u{202e}0001\\u{2066} ok\\u{200b}?'],
  },
];
