/**
 * The services that survive kills: the strict servers, an MCP server, the record of effects, and the decisions
 * about where lives end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, json } from 'node:stream/consumers';
import { listen } from '../../../src/examples/demo/loopback.ts';
import { startEverything } from '../../full/mcp/servers/everything-server.ts';
import { type Front, startFront } from '../../full/mcp/servers/front.ts';
import { getMainPath } from '../../full/mcp/servers/start-servers.ts';
import type { Effect } from '../session/agent.ts';
import { createServers, listServers, type Servers } from '../session/changes.ts';
import type { Session } from '../session/names.ts';
import { type Moment, noStops, type Stops } from '../session/stops.ts';

/** The part of the world that belongs to one session. */
export interface Place {
  readonly servers: Servers;
  readonly effects: Effect[];
  /** The appends, in order. */
  readonly moments: Moment[];
  stops: Stops;
  /** Called when a life ends and the session's object blocks. */
  onStop: () => void;
}

export interface World {
  readonly url: string;
  /** The base URL of a real MCP server. Each session uses `/{name}/mcp`. */
  readonly mcpUrl: string;
  /** The places by session name. */
  readonly places: ReadonlyMap<string, Place>;
  /** Closes the requests left unanswered at the end of a life. */
  forgetStopped(): void;
  close(): Promise<void>;
}

/** Starts the servers of these sessions on a free loopback port. */
export async function startWorld(sessions: readonly Session[]): Promise<World> {
  const mcp = await startMcpServer();
  const places = new Map(sessions.map((session) => [session.name, createPlace(session)]));
  const stopped = new Set<ServerResponse>();
  const { server, url } = await listen((incoming, outgoing) => {
    respond({ places, stopped }, incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(500).end(String(error));
    });
  });
  return {
    url,
    mcpUrl: mcp.url,
    places,
    forgetStopped() {
      for (const outgoing of stopped) outgoing.destroy();
      stopped.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await mcp.stop();
    },
  };
}

/** Starts one MCP server process for all sessions, which has a separate state for each connection. */
async function startMcpServer(): Promise<Pick<Front, 'url' | 'stop'>> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-wires-mcp-'));
  const options = { transport: 'streamableHttp', socketPath: join(folder, 'everything.sock') } as const;
  const { url, stop } = await startFront(await startEverything(getMainPath('everything'), options));
  return {
    url,
    stop: () => stop().finally(() => rmSync(folder, { recursive: true, force: true })),
  };
}

const createPlace = (session: Session): Place => ({
  servers: createServers(session),
  effects: [],
  moments: [],
  stops: noStops,
  onStop: () => {},
});

interface Site {
  readonly places: ReadonlyMap<string, Place>;
  readonly stopped: Set<ServerResponse>;
}

async function respond(site: Site, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  switch (incoming.url) {
    case '/effects': {
      const effect = (await json(incoming)) as Effect; // sent by the Worker
      getPlace(site, effect.agent).effects.push(effect);
      outgoing.end();
      return;
    }
    case '/moments': {
      const { session, moment } = (await json(incoming)) as { session: string; moment: Moment }; // sent by the Worker
      const [, agent] = JSON.parse(session) as [owner: string, agent: string]; // the name of a session's object
      if (isLast(getPlace(site, agent), moment)) site.stopped.add(outgoing);
      else outgoing.end();
      return;
    }
    default:
      await serveModel(site, incoming, outgoing);
  }
}

function getPlace({ places }: Site, name: string): Place {
  const place = places.get(name);
  if (!place) throw new Error(`The session '${name}' is not part of this run.`);
  return place;
}

/** Records a moment. Returns `true` if the session's life ends here. */
function isLast(place: Place, moment: Moment): boolean {
  place.moments.push(moment);
  const ends = place.stops.endsAt(moment);
  if (ends) place.onStop();
  return ends;
}

/** Forwards a request to a strict server, at `/{session}/{server}/...`. */
async function serveModel(site: Site, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { url = '', method = 'POST' } = incoming;
  const [, name = '', path] = url.split('/', 3);
  const [, server] = listServers(getPlace(site, name).servers).find(([one]) => one === path) ?? [];
  if (!server) throw new Error(`The run has no server at ${url}.`);
  const headers = Object.entries(incoming.headersDistinct).flatMap(([key, values = []]) =>
    values.map((value): [string, string] => [key, value]),
  );
  const request = new Request(`http://127.0.0.1${url}`, { method, headers, body: await buffer(incoming) });
  const response = await server.handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
