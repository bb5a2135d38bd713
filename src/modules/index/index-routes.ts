/** The routes of an index: lists of sessions, the inbox, usage, and the actions of operators. */

import { listUnknownKeyProblems } from '../../tool/json.ts';
import type { KeysOf } from '../../tool/shape.ts';
import { createInvalidBodyError, readBody } from '../../worker/body.ts';
import type { READ_BODY, TITLE_BODY } from '../../worker/index-views.ts';
import { assertOperator, getRequestedOwner, parseOwner } from '../../worker/operator.ts';
import {
  type CallerRequest,
  defineRoute,
  type Route,
  SESSION_PATH,
  type SessionRequest,
} from '../../worker/route.ts';
import { createTarget, getOwner, toInvokedHost } from '../../worker/target.ts';
import {
  eraseOwner,
  findMarkProblem,
  findTitleProblem,
  type IndexApp,
  listOwners,
  listSessions,
  markRead,
  readInbox,
  readIndexedOwner,
  readUsage,
  setTitle,
  toIndexApp,
} from './ask.ts';
import type { QueryParameters } from './queries.ts';

const OWNER_PATH = '/owners/{owner}';

export const INDEX_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/agents/{agent}/sessions',
    access: 'caller',
    async handle(asked, { agent }) {
      assertAgent(asked, agent);
      const { caller } = asked;
      const query = getQuery(asked);
      return Response.json(
        await listSessions(
          getIndexApp(asked),
          { owner: getRequestedOwner(caller, query.owner) ?? getOwner(caller), agent, caller },
          query,
        ),
      );
    },
  }),
  defineRoute({ method: 'PATCH', path: SESSION_PATH, access: 'session', handle: patchSession }),
  defineRoute({ method: 'POST', path: `${SESSION_PATH}/read`, access: 'session', handle: markSessionRead }),
  defineRoute({
    method: 'GET',
    path: '/pending',
    access: 'caller',
    handle: async (asked) =>
      Response.json(await readInbox(getIndexApp(asked), asked.caller, getQuery(asked))),
  }),
  defineRoute({
    method: 'GET',
    path: '/usage',
    access: 'caller',
    async handle(asked) {
      const query = getQuery(asked);
      const owner = getRequestedOwner(asked.caller, query.owner) ?? getOwner(asked.caller);
      return Response.json(await readUsage(getIndexApp(asked), owner, query));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/owners',
    access: 'caller',
    async handle(asked) {
      assertOperator(asked.caller);
      return Response.json(await listOwners(getIndexApp(asked), getQuery(asked)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: OWNER_PATH,
    access: 'caller',
    async handle(asked, { owner }) {
      assertOperator(asked.caller);
      return Response.json(await readIndexedOwner(getIndexApp(asked), parseOwner(owner)));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: OWNER_PATH,
    access: 'caller',
    async handle(asked, { owner }) {
      assertOperator(asked.caller);
      return Response.json(await eraseOwner(getIndexApp(asked), parseOwner(owner)), { status: 202 });
    },
  }),
];

/** Returns the app, whose requests to sessions are counted. */
const getIndexApp = ({ host, env, base, execution }: CallerRequest): IndexApp =>
  toIndexApp({ host: toInvokedHost(host, env, execution), env, base });

const getQuery = ({ request }: CallerRequest): QueryParameters =>
  Object.fromEntries(new URL(request.url).searchParams);

/** @throws SessionError if the agent does not exist. */
const assertAgent = ({ host, env, base, caller }: CallerRequest, agent: string): unknown =>
  createTarget({ host, env, base }, caller, { agent, session: 'any' });

async function patchSession(asked: SessionRequest): Promise<Response> {
  const { request, host, target, env, base } = asked;
  const { value } = await readBody(request, host.maxBodyBytes);
  const { title } = value;
  const problem = findTitleProblem(title);
  const problems = [
    ...listUnknownKeyProblems(value, TITLE_KEYS),
    ...(problem === undefined ? [] : [problem]),
  ];
  if (problems.length > 0) throw createInvalidBodyError(problems);
  return Response.json(await setTitle(toIndexApp({ host, env, base }), target, title as string | null)); // checked above
}

const TITLE_KEYS: KeysOf<typeof TITLE_BODY> = { title: 1 };

async function markSessionRead({
  request,
  host,
  target,
  env,
  base,
  caller,
}: SessionRequest): Promise<Response> {
  const { value } = await readBody(request, host.maxBodyBytes);
  const { seq } = value;
  const problem = findMarkProblem(seq);
  const problems = [...listUnknownKeyProblems(value, READ_KEYS), ...(problem === undefined ? [] : [problem])];
  if (problems.length > 0) throw createInvalidBodyError(problems);
  const mark = { reader: caller.id, seq: seq as number | undefined }; // checked by `findMarkProblem`
  return Response.json(await markRead(toIndexApp({ host, env, base }), target, mark));
}

const READ_KEYS: KeysOf<typeof READ_BODY> = { seq: 1 };
