import type { RequestToSend } from '../http.ts';
import { FILES, PENDING, VAULT, type Victims } from '../victims.ts';

/** A request to a route, with its description. */
export interface RouteAttack {
  readonly what: string;
  readonly sent: RequestToSend;
}

const json = [['content-type', 'application/json']] as const;

/** Returns the requests to every route that has a session in its path. The session belongs to zeta. */
export function listZetaRoutes(victims: Victims, agent = 'clerk'): readonly RouteAttack[] {
  const getPath = (session: string): string => `/agents/${agent}/sessions/${session}`;
  const createPostRequest = (path: string, body: object): RequestToSend => ({
    method: 'POST',
    path,
    headers: json,
    body: JSON.stringify(body),
  });
  return [
    { what: 'GET of a session', sent: { path: getPath(VAULT) } },
    { what: 'HEAD of a session', sent: { method: 'HEAD', path: getPath(VAULT) } },
    { what: 'GET of a journal', sent: { path: `${getPath(VAULT)}/events` } },
    {
      what: 'a stream of a journal',
      sent: { path: `${getPath(VAULT)}/events?after=0`, headers: [['accept', 'text/event-stream']] },
    },
    { what: 'GET of a turn by its id', sent: { path: `${getPath(VAULT)}/turns/${victims.turn}` } },
    { what: 'GET of a file by its id', sent: { path: `${getPath(FILES)}/files/${victims.file}` } },
    {
      what: 'a range of a file by its id',
      sent: { path: `${getPath(FILES)}/files/${victims.file}`, headers: [['range', 'bytes=0-3']] },
    },
    { what: 'a cancel of an open turn', sent: { method: 'POST', path: `${getPath(PENDING)}/cancel` } },
    {
      what: 'a cancel of a turn by its id',
      sent: {
        method: 'POST',
        path: `${getPath(PENDING)}/cancel?turn=${encodeURIComponent(victims.suspended)}`,
      },
    },
    {
      what: 'an approval of a call by its id',
      sent: createPostRequest(`${getPath(PENDING)}/approvals/${encodeURIComponent(victims.call)}`, {
        decision: 'approve',
      }),
    },
    {
      what: 'a result of a call by its id',
      sent: createPostRequest(`${getPath(PENDING)}/results/${encodeURIComponent(victims.call)}`, {
        result: 1,
      }),
    },
  ];
}

/** Requests to every other route. */
export const otherRoutes: readonly RouteAttack[] = [
  { what: 'GET of the root', sent: { path: '/' } },
  { what: 'GET of the agents', sent: { path: '/agents' } },
  { what: 'GET of the description', sent: { path: '/openapi.json' } },
  { what: 'a path that is not there', sent: { path: '/admin' } },
  { what: 'a method that is not there', sent: { method: 'PUT', path: '/agents' } },
  { what: 'OPTIONS', sent: { method: 'OPTIONS', path: '/agents' } },
  {
    what: 'a message',
    sent: {
      method: 'POST',
      path: '/agents/clerk/sessions/x/messages',
      headers: json,
      body: '{"message":"x"}',
    },
  },
  { what: 'DELETE of a session', sent: { method: 'DELETE', path: '/agents/clerk/sessions/vault' } },
  {
    what: 'a call of MCP',
    sent: {
      method: 'POST',
      path: '/mcp',
      headers: json,
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
  },
];
