/** The entry `holdfast/branches`: sessions that begin with a copy of another one's events. */
import { type ModuleUse, useOf } from '../../tool/module-use.ts';
import { APP, type AppParts } from '../../worker/app-seam.ts';
import { readBody } from '../../worker/body.ts';
import type { ForkOptions } from '../../worker/fork-views.ts';
import { defineRoute, SESSION, type SessionRequest } from '../../worker/route.ts';
import { sessionPath } from '../../worker/target.ts';
import { copyOn } from './copy-events.ts';
import { forkBehind, forkInstead } from './fork-behind.ts';
import { forkSession, forksIn } from './fork-session.ts';
import { BRANCHES } from './noted.ts';

export type { Fork, ForkOptions } from '../../worker/fork-views.ts';
export { branchesDescription } from './describe.ts';
export { fork } from './fork-session.ts';

/**
 * Lets callers fork their sessions by `POST .../sessions/{session}/fork`, and code of the app by `fork`, in `use` of `createHoldfast`.
 * `aiSdkUi()` makes forks without it.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [branches()] });
 * ```
 */
export function branches(): ModuleUse {
  const use = useOf(BRANCHES);
  APP.give(use, PARTS);
  return use;
}

const PARTS: AppParts = {
  copyOn,
  forkBehind,
  forkInstead,
  routes: () => [
    defineRoute({
      method: 'POST',
      path: `${SESSION}/fork`,
      access: 'session',
      isCounted: true,
      handle: postFork,
    }),
    defineRoute({
      method: 'GET',
      path: `${SESSION}/forks`,
      access: 'session',
      handle: listForks,
    }),
  ],
};

async function postFork(asked: SessionRequest): Promise<Response> {
  const { request, host } = asked;
  const hasBody = request.headers.has('content-type') || request.headers.get('content-length') !== '0';
  const body = hasBody && request.body ? (await readBody(request, host.maxBodyBytes)).value : {};
  const fork = await forkSession(asked, body as ForkOptions); // checked there
  return Response.json(fork, { status: 201, headers: { location: fork.url } });
}

/** Those that were erased since are among them. */
async function listForks(asked: SessionRequest): Promise<Response> {
  const { base, target } = asked;
  const { name: agent } = target.agent;
  const forks = (await forksIn(asked)).map(({ session, at }) => ({
    session,
    at,
    url: sessionPath({ agent, session }, base),
  }));
  return Response.json({ forks });
}
