/** Defines which questions operators can answer. */

import { collectAppParts } from '../../worker/app-seam.ts';
import { assertRole } from '../../worker/auth.ts';
import { readBody } from '../../worker/body.ts';
import { SessionError } from '../../worker/problem.ts';
import type { CallerRequest } from '../../worker/route.ts';
import type { Target } from '../../worker/target.ts';
import { findQuestion, type TurnContents } from '../answers/questions.ts';

/** Identifies a question by its call and its number among the call's questions. */
interface QuestionKey {
  readonly call: string;
  readonly question: number;
}

/**
 * Accepts answers that are decisions for a role of the caller. A call's question never changes, so this check
 * stays valid when the answer is stored. `call` is the call in the path, or `undefined` if the body names it.
 *
 * @throws SessionError for any other answer, or if the question does not exist.
 * @throws Problem if the body is unreadable.
 */
export async function assertDecidesByRole(
  asked: CallerRequest,
  target: Target,
  call: string | undefined,
): Promise<void> {
  const turns: TurnContents = new Map();
  for (const named of await readQuestions(asked, call)) {
    const { question } = await findQuestion(target, named, turns);
    const { wait } = question;
    if (wait.for !== 'decision' || wait.by === undefined) throw createWaitsForOwnerError(named.call);
    assertRole(asked.caller, { call: named.call, wait });
  }
}

async function readQuestions(
  { host, request }: CallerRequest,
  call: string | undefined,
): Promise<readonly QuestionKey[]> {
  if (call !== undefined) {
    const question = Number(new URL(request.url).searchParams.get('question') ?? '1');
    return [{ call, question }];
  }
  // Reads a clone, since the route also reads the body.
  const { value } = await readBody(request.clone(), host.maxBodyBytes);
  return collectAppParts(host).flatMap(({ answers }) => answers?.read(value) ?? []);
}

const createWaitsForOwnerError = (call: string): SessionError =>
  new SessionError(
    'role-required',
    `Call ${call.slice(0, 80)} waits for the owner of this session. Operators can only decide calls for their roles.`,
    { more: { role: 'owner' } },
  );
