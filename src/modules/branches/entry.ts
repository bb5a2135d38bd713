/** The entry `holdfast/branches`: sessions that start with a copy of another session's events. */
import { createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP, type AppParts } from '../../worker/app-seam.ts';
import { readBody } from '../../worker/body.ts';
import type { ForkOptions } from '../../worker/fork-views.ts';
import { defineRoute, SESSION_PATH, type SessionRequest } from '../../worker/route.ts';
import { getSessionPath } from '../../worker/target.ts';
import { copyOn } from './copy-events.ts';
import { forkBehind, forkInstead } from './fork-behind.ts';
import { forkSession, readForks } from './fork-session.ts';
import { BRANCHES } from './noted.ts';

export type { Fork, ForkOptions } from '../../worker/fork-views.ts';
export { branchesDescription } from './describe.ts';
export { fork } from './fork-session.ts';

/**
 * Lets callers fork their sessions with `POST .../sessions/{session}/fork`, and the app's code with `fork`.
 * List it in `use` of `createHoldfast`. `aiSdkUi()` can fork without it.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [branches()] });
 * ```
 */
export function branches(): ModuleUse {
  const use = createUse(BRANCHES);
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
      path: `${SESSION_PATH}/fork`,
      access: 'session',
      isCounted: true,
      handle: postFork,
    }),
    defineRoute({
      method: 'GET',
      path: `${SESSION_PATH}/forks`,
      access: 'session',
      handle: listForks,
    }),
  ],
};

async function postFork(asked: SessionRequest): Promise<Response> {
  const { request, host } = asked;
  const hasBody = request.headers.has('content-type') || request.headers.get('content-length') !== '0';
  const body = hasBody && request.body ? (await readBody(request, host.maxBodyBytes)).value : {};
  const fork = await forkSession(asked, body as ForkOptions); // `forkSession` checks it
  return Response.json(fork, { status: 201, headers: { location: fork.url } });
}

/** Lists the forks of a session, including those that were erased since. */
async function listForks(asked: SessionRequest): Promise<Response> {
  const { base, target } = asked;
  const { name: agent } = target.agent;
  const forks = (await readForks(asked)).map(({ session, at }) => ({
    session,
    at,
    url: getSessionPath({ agent, session }, base),
  }));
  return Response.json({ forks });
}
