import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gate, type Hold } from '../../src/examples/demo/gate.ts';
import { listen } from '../../src/examples/demo/loopback.ts';
import { type Line, readRequest, toResponse } from './chat-completions.ts';

/**
 * The script of a model: the replies to each message. A request matches if its last message equals or contains
 * the text.
 */
export type Script = readonly (readonly [to: string, replies: readonly Line[]])[];

/** An effect of a tool. */
export interface RecordedEffect {
  readonly tool: string;
  readonly input: unknown;
  readonly call: string;
  readonly key: string;
}

/**
 * The external services that outlive the Worker: the models, and the services that tools call. Scenes separate
 * their requests.
 */
export interface World {
  readonly url: string;
  /** Sets the script of a scene's model. */
  plays(scene: string, script: Script): void;
  /**
   * Holds responses of a tool or of the `model` from now on. The effect of the tool still happens. With
   * `before {tool}`, the effect is also held.
   */
  hold(scene: string, what: string): Hold;
  /** Makes a scene's tools report their interrupted call as done. Defaults to not done. */
  wasDone(scene: string): void;
  /** Returns the bodies of the requests to the model of a scene, oldest first. */
  asked(scene: string): readonly string[];
  done(scene: string): readonly RecordedEffect[];
  /** Returns the model requests of a scene that a server would refuse or that have no scripted reply. */
  problems(scene: string): readonly string[];
  stop(): Promise<void>;
}

interface WorldState {
  readonly gate: Gate;
  readonly scripts: Map<string, Script>;
  readonly asked: Map<string, string[]>;
  readonly done: Map<string, RecordedEffect[]>;
  readonly wereDone: Set<string>;
  readonly problems: Map<string, string[]>;
}

/** Starts a world on a local port. */
export async function openWorld(): Promise<World> {
  const kept: WorldState = {
    gate: new Gate(),
    scripts: new Map(),
    asked: new Map(),
    done: new Map(),
    wereDone: new Set(),
    problems: new Map(),
  };
  const { server, url } = await listen((request, response) => {
    answerRequest(kept, request, response).catch((failure: unknown) => {
      put(kept.problems, parseScene(request), String(failure));
      send(response, 500, { error: { message: String(failure) } });
    });
  });
  return {
    url,
    problems: (scene) => kept.problems.get(scene) ?? [],
    plays: (scene, script) => void kept.scripts.set(scene, script),
    hold: (scene, what) => kept.gate.hold(`${scene} ${what}`),
    wasDone: (scene) => void kept.wereDone.add(scene),
    asked: (scene) => kept.asked.get(scene) ?? [],
    done: (scene) => kept.done.get(scene) ?? [],
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * `POST /{scene}/v1/chat/completions` is a model request, and `POST /{scene}/{tool}` is an effect. `GET`
 * returns whether the effect happened.
 */
async function answerRequest(
  kept: WorldState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const scene = parseScene(request);
  const [, , what = ''] = (request.url ?? '').split('/');
  if (request.method === 'GET') return send(response, 200, kept.wereDone.has(scene));
  const body = await readText(request);
  if (what === 'v1') {
    put(kept.asked, scene, body);
    const said = computeReply(kept, scene, body);
    await kept.gate.pass(`${scene} model`);
    return send(response, ...said);
  }
  const { 'idempotency-key': key, 'call-id': call } = request.headers;
  await kept.gate.pass(`${scene} before ${what}`);
  put(kept.done, scene, { tool: what, input: JSON.parse(body), call: String(call), key: String(key) });
  await kept.gate.pass(`${scene} ${what}`);
  send(response, 200, 'done');
}

const parseScene = ({ url = '' }: IncomingMessage): string => url.split('/')[1] ?? '';

function computeReply({ scripts }: WorldState, scene: string, body: string): readonly [number, unknown] {
  const { said, replies, all } = readRequest(body);
  const script = scripts.get(scene) ?? [];
  const [, lines = []] = script.find(([to]) => to === said) ?? script.find(([to]) => said.includes(to)) ?? [];
  const line = lines[replies];
  if (line === undefined) throw new Error(`${scene} has no reply ${replies + 1} to: ${said.slice(0, 500)}`);
  return toResponse(line, all);
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const put = <T>(lists: Map<string, T[]>, name: string, one: T): unknown =>
  lists.set(name, [...(lists.get(name) ?? []), one]);
