/**
 * The parts of the agents of stored sessions. Their model and the effects of their tools are on the script's
 * server.
 */

import { env } from 'cloudflare:workers';
import {
  type Agent,
  type AgentConfig,
  type CallContext,
  type ChatModel,
  defineAgent,
  defineTool,
  type Effect,
  type InputDeclaration,
  type JsonSchema,
  type Prices,
} from '../../../src/index.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';
import { jsonSchema } from '../../../src/modules/json-schema/entry.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      /** The URL of the model and the services of tools. */
      readonly WORLD_URL: string;
    }
  }
}

/** Returns the model of a scene. Its script is in the journal's definition. */
export const createSceneModel = (scene: string, prices?: Prices): ChatModel =>
  openaiCompatible({ baseURL: `${env.WORLD_URL}/${scene}/v1`, model: 'scripted', retries: 0, prices });

/** Defines an agent with its own scene. */
export const defineScene = <Declaration extends InputDeclaration = undefined>(
  name: string,
  more: Partial<AgentConfig<string, Declaration>> = {},
): Agent =>
  defineAgent({
    name,
    description: `Has the session of the journal ${name}.`,
    instructions: 'Work.',
    model: createSceneModel(name),
    ...more,
  });

interface ActingToolConfig {
  readonly effect: Effect;
  readonly input?: JsonSchema | undefined;
  readonly serial?: string | undefined;
  readonly returnDirect?: boolean | undefined;
}

/** Defines a tool whose effect happens on the script's server, which can hold it. */
export const createActingTool = <const Name extends string>(
  scene: string,
  name: Name,
  { input = { type: 'object' }, ...more }: ActingToolConfig,
) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: jsonSchema(input),
    ...more,
    run: (sent, call) => performAct(`${scene}/${name}`, sent, call),
  });

/** Defines a `once` tool that can find out the outcome of a call. */
export const createReconcilingTool = <const Name extends string>(scene: string, name: Name) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: jsonSchema({ type: 'object' }),
    effect: 'once',
    run: (sent, call) => performAct(`${scene}/${name}`, sent, call),
    reconcile: async (_, call) =>
      (await checkDone(`${scene}/${name}`, call)) ? { done: `${name} was done before` } : 'not-done',
  });

type ActingCall = Pick<CallContext, 'id' | 'idempotencyKey' | 'signal'>;

/** Causes an effect on the script's server, at `{scene}/{what}`. */
export async function performAct(place: string, input: unknown, call: ActingCall): Promise<string> {
  const body = JSON.stringify(input);
  const response = await fetch(`${env.WORLD_URL}/${place}`, { method: 'POST', body, ...callHeaders(call) });
  await response.text();
  return `${place.split('/')[1]} is done`;
}

/** Returns `true` if the call with this key had its effect. */
async function checkDone(place: string, call: ActingCall): Promise<boolean> {
  const response = await fetch(`${env.WORLD_URL}/${place}`, callHeaders(call));
  return (await response.json()) === true;
}

/** Returns the request options that identify the call. */
const callHeaders = ({ id, idempotencyKey, signal }: ActingCall) => ({
  headers: { 'call-id': id, 'idempotency-key': idempotencyKey },
  signal,
});
