/** Ids of the OpenAI protocols that lead to a session by themselves: clients send them back, and often nothing else. */
import type { RouteSession } from '../../worker/module-request.ts';

/** What an id names: something in a session. */
export interface Named extends RouteSession {
  /** The id of a turn, of a call, or of an item, by the prefix. */
  readonly what: string;
  /** Which of several: the response of a turn from 0, or the question of a call from 1. */
  readonly place: number;
}

/** `resp`: a response; `mcpr`: a question; `call`: a call that the client runs; the others are items that nobody answers. */
export type IdPrefix = 'resp' | 'mcpr' | 'call' | 'mcp' | 'fc' | 'msg' | 'rs' | 'ig' | 'chatcmpl';

/** Writes an id. It is no secret: whoever sends it must own the session, as everywhere. */
export const toId = (prefix: IdPrefix, { agent, session, what, place }: Named): string =>
  `${prefix}_${toBase64Url([agent, session, what, place].join('/'))}`;

/** Reads an id back; `undefined` when it is none of ours, or of another kind. */
export function readId(id: unknown, prefixes: readonly IdPrefix[]): Named | undefined {
  if (typeof id !== 'string' || id.length > MOST_ID) return undefined;
  const [, prefix = '', coded = ''] = /^([a-z]+)_([A-Za-z0-9_-]+)$/.exec(id) ?? [];
  if (!prefixes.some((known) => known === prefix)) return undefined;
  const [, agent, session, what, place] =
    /^([^/]+)\/([\w.:@-]{1,128})\/([^/]+)\/(\d{1,6})$/.exec(fromBase64Url(coded)) ?? [];
  if (agent === undefined || session === undefined || what === undefined) return undefined;
  return { agent, session, what, place: Number(place) };
}

/** The most characters of an id: of the longest agent, session and call. */
const MOST_ID = 1_000;

/** The turn of a call, or of an item. */
export const turnOf = ({ what }: Named): string => what.replace(/\.\d+\.\d+$/, '');

const toBase64Url = (text: string): string =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

function fromBase64Url(coded: string): string {
  try {
    return atob(coded.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
