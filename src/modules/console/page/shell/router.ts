/** Reads and writes the page's place in the URL, after `#`, so that it never reaches the server. */
import { signal } from '@preact/signals';

/** The views of one session, in the order of their tabs. */
export const SESSION_TABS = ['chat', 'turn', 'tools', 'journal', 'state'] as const;
export type SessionTab = (typeof SESSION_TABS)[number];

/**
 * A place in the page. `query` contains the values that a view stores in the URL, such as the open event.
 * `owner` is set if an operator views the sessions of another owner, such as `tenant:acme`.
 */
export type Place = (
  | { readonly view: 'sessions' }
  | { readonly view: 'inbox' }
  | { readonly view: 'session'; readonly agent: string; readonly session: string; readonly tab: SessionTab }
) & { readonly query: Readonly<Record<string, string>>; readonly owner?: string | undefined };

/** The current place. Views read it, and change it with `goTo`. */
export const place = signal<Place>(parsePlace(location.hash));

addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash);
});

/** Returns the place for a hash. An unknown hash returns the list of sessions. */
export function parsePlace(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const { owner, ...query } = Object.fromEntries(new URLSearchParams(search));
  const [view, agent, session, tab] = path.split('/').map(decodeSegment);
  if (view === 'inbox') return { view, query, owner };
  if (view !== 's' || !agent || !session) return { view: 'sessions', query, owner };
  const known = SESSION_TABS.find((one) => one === tab) ?? 'chat';
  return { view: 'session', agent, session, tab: known, query, owner };
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the URL of a place, for `href`. The owner defaults to the current one. */
export function toHref(to: Place): string {
  const path =
    to.view === 'session' ? ['s', to.agent, to.session, to.tab].map(encodeURIComponent).join('/') : to.view;
  const owner = 'owner' in to ? to.owner : place.value.owner;
  const search = new URLSearchParams({ ...to.query, ...(owner && { owner }) }).toString();
  return `#/${path}${search && `?${search}`}`;
}

/** Returns the URL of a session of the current owner. */
export const toSessionHref = (
  agent: string,
  session: string,
  { tab = 'chat', query = {} }: { readonly tab?: SessionTab; readonly query?: Place['query'] } = {},
): string => toHref({ view: 'session', agent, session, tab, query });

/** Navigates to a place. With `replace`, adds no entry to the history. */
export function goTo(to: Place, how: 'push' | 'replace' = 'push'): void {
  const href = toHref(to);
  if (href === location.hash) return;
  if (how === 'push') location.hash = href;
  else {
    history.replaceState(null, '', href);
    place.value = parsePlace(href);
  }
}

/** Changes query values in the URL, without a new entry in the history. `undefined` removes a value. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = { ...place.peek().query };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete query[name];
    else query[name] = value;
  }
  goTo({ ...place.peek(), query }, 'replace');
}
