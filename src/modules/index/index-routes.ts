/** The routes of an index: lists of sessions, the inbox, usage, and the actions of operators. */

import { unknownProblems } from '../../tool/json.ts';
import type { KeysOf } from '../../tool/shape.ts';
import { invalidBody, readBody } from '../../worker/body.ts';
import type { READ_BODY, TITLE_BODY } from '../../worker/index-views.ts';
import { mustOperate, ownerAsked, readOwner } from '../../worker/operator.ts';
import {
  type CallerRequest,
  defineRoute,
  type Route,
  SESSION,
  type SessionRequest,
} from '../../worker/route.ts';
import { invoked, ownerOf, targetOf } from '../../worker/target.ts';
import {
  type AskingApp,
  askingApp,
  eraseOwner,
  listOwners,
  listSessions,
  markProblem,
  markRead,
  readInbox,
  readStanding,
  readUsage,
  setTitle,
  titleProblem,
} from './ask.ts';
import type { Asked } from './queries.ts';

/** The path of an owner. */
const OWNER = '/owners/{owner}';

export const INDEX_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/agents/{agent}/sessions',
    access: 'caller',
    async handle(asked, { agent }) {
      mustHaveAgent(asked, agent);
      const { caller } = asked;
      const query = queryOf(asked);
      return Response.json(
        await listSessions(
          appOf(asked),
          { owner: ownerAsked(caller, query.owner) ?? ownerOf(caller), agent, caller },
          query,
        ),
      );
    },
  }),
  defineRoute({ method: 'PATCH', path: SESSION, access: 'session', handle: patchSession }),
  defineRoute({ method: 'POST', path: `${SESSION}/read`, access: 'session', handle: readSession }),
  defineRoute({
    method: 'GET',
    path: '/pending',
    access: 'caller',
    handle: async (asked) => Response.json(await readInbox(appOf(asked), asked.caller, queryOf(asked))),
  }),
  defineRoute({
    method: 'GET',
    path: '/usage',
    access: 'caller',
    async handle(asked) {
      const query = queryOf(asked);
      const owner = ownerAsked(asked.caller, query.owner) ?? ownerOf(asked.caller);
      return Response.json(await readUsage(appOf(asked), owner, query));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/owners',
    access: 'caller',
    async handle(asked) {
      mustOperate(asked.caller);
      return Response.json(await listOwners(appOf(asked), queryOf(asked)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: OWNER,
    access: 'caller',
    async handle(asked, { owner }) {
      mustOperate(asked.caller);
      return Response.json(await readStanding(appOf(asked), readOwner(owner)));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: OWNER,
    access: 'caller',
    async handle(asked, { owner }) {
      mustOperate(asked.caller);
      return Response.json(await eraseOwner(appOf(asked), readOwner(owner)), { status: 202 });
    },
  }),
];

/** Returns the app. Its requests to sessions are counted. */
const appOf = ({ host, env, base, execution }: CallerRequest): AskingApp =>
  askingApp({ host: invoked(host, env, execution), env, base });

const queryOf = ({ request }: CallerRequest): Asked => Object.fromEntries(new URL(request.url).searchParams);

/** @throws SessionError if the agent does not exist. */
const mustHaveAgent = ({ host, env, base, caller }: CallerRequest, agent: string): unknown =>
  targetOf({ host, env, base }, caller, { agent, session: 'any' });

async function patchSession(asked: SessionRequest): Promise<Response> {
  const { request, host, target, env, base } = asked;
  const { value } = await readBody(request, host.maxBodyBytes);
  const { title } = value;
  const problem = titleProblem(title);
  const problems = [...unknownProblems(value, KEYS), ...(problem === undefined ? [] : [problem])];
  if (problems.length > 0) throw invalidBody(problems);
  return Response.json(await setTitle(askingApp({ host, env, base }), target, title as string | null)); // checked by its problems
}

const KEYS: KeysOf<typeof TITLE_BODY> = { title: 1 };

async function readSession({ request, host, target, env, base, caller }: SessionRequest): Promise<Response> {
  const { value } = await readBody(request, host.maxBodyBytes);
  const { seq } = value;
  const problem = markProblem(seq);
  const problems = [...unknownProblems(value, READ_KEYS), ...(problem === undefined ? [] : [problem])];
  if (problems.length > 0) throw invalidBody(problems);
  const mark = { reader: caller.id, seq: seq as number | undefined }; // checked by its problems
  return Response.json(await markRead(askingApp({ host, env, base }), target, mark));
}

const READ_KEYS: KeysOf<typeof READ_BODY> = { seq: 1 };
