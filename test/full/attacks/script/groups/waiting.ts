/** Creates calls that wait for a decision, as targets of attacks. */
import { type Check, isProblem } from '../attack.ts';
import { listPendingCalls, type PendingCall, type ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';

/** A turn of ann that waits for a decision about one call. */
export interface WaitingTurn {
  readonly turn: string;
  readonly call: string;
  /** The path for decisions. */
  readonly path: string;
  readonly pending: PendingCall;
}

export async function startWaitingTurn(
  scene: Scene,
  tool: string,
  input: object = { amount: 5 },
): Promise<WaitingTurn> {
  const { ann, own, play } = scene;
  const came = await ann.post(`${own}/messages`, { message: play([{ name: tool, input }], 'Done.') });
  const [pending] = listPendingCalls(came);
  const { links, call } = pending;
  return { turn: String(came.json?.turn), call, path: links.approvals ?? links.results ?? '', pending };
}

/** Sends a decision about a call that a manager must approve. */
export const decideOn =
  (body: unknown, as: 'rolf' | 'ann' = 'rolf', tool = 'refund') =>
  async (scene: Scene): Promise<ReceivedResponse> => {
    const { path } = await startWaitingTurn(scene, tool);
    const came = await scene[as].post(path, body);
    await scene.rolf.del(scene.own);
    return came;
  };

export const isRoleNeeded = isProblem(
  403,
  'role-required',
  "Call … must be answered by a person with the role 'manager'. Send the token of a person with this role.",
);

export const isInvalidBody = (detail: string): Check =>
  isProblem(422, 'invalid-body', `The body is not valid: ${detail}.`);
