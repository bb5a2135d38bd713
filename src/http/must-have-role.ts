import type { Caller } from '../app/host.ts';
import type { Question } from '../session/questions.ts';
import { Problem } from './problem.ts';

/** @throws Problem when a question is for a role that the caller does not have. */
export function mustHaveRole({ roles }: Caller, { call, wait }: Question): void {
  const by = wait.for === 'decision' ? wait.by : undefined;
  if (by === undefined || roles?.includes(by)) return;
  throw new Problem(
    403,
    'role-required',
    `Call ${call.id} is answered by somebody with the role '${by}'. Send the token of one who has it.`,
    { more: { role: by } },
  );
}
