import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { openBatch } from '../../journal/conversation.ts';
import type { Principal } from '../../journal/events.ts';
import { toRepliedEvent } from '../../loop/ask-model.ts';
import type { Holder, Needs } from '../../loop/holder.ts';
import type { Loop, LoopJournal, LoopSpec } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { createMemoryLoop, type MemoryLoop, type MemoryLoopConfig } from '../../loop/memory-loop.ts';
import { offerTools } from '../../loop/offer-tools.ts';
import { runBatch } from '../../loop/run-loop.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import type { JsonObject } from '../../tool/json.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { allowAsking, ClientQuestions } from './ask-client.ts';
import { type AskingClient, createCallerData, type EndpointRequest } from './caller.ts';
import type { Notifier } from './stream-position.ts';
import { toCallResult } from './to-call-result.ts';

interface PublishedToolCall {
  readonly tool: AnyTool;
  readonly input: JsonObject;
  /** The client's name for the call, if it has one. */
  readonly key: string | undefined;
  readonly notifier: Notifier;
  readonly client: AskingClient;
}

/** A call with a name, which Holdfast creates if the client has none. */
type NamedCall = PublishedToolCall & { readonly key: string };

/**
 * Runs a tool without a session, by the same code as in one: with checks, its timeout, and no secrets in the
 * result. No data is kept, so a request runs it once, whatever its effect, and a repeated request runs it
 * again. The `call.idempotencyKey` is equal for equal input under the same key, for receivers that
 * deduplicate. The tool runs to its end even if the client disconnects, because a lost connection is not a
 * cancellation (MCP specification, Transports). If it asks its client for more, the client receives the
 * questions, and the request with the answers runs it again.
 *
 * @throws RpcError if the client sends the state of another call. Errors from the app's hooks for context and
 * secrets pass through.
 */
export async function callTool(
  request: EndpointRequest,
  calling: PublishedToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { tool, input, client, key = request.host.newId() } = calling;
  const asking = await ClientQuestions.of(client, { about: ['tools/call', tool.name, input], key });
  return asking.orAsked(() => runAlone(request, calling, asking));
}

async function runAlone(
  request: EndpointRequest,
  calling: PublishedToolCall,
  asking: ClientQuestions,
): Promise<CallToolResult> {
  const atEnd: (() => Promise<unknown>)[] = [];
  const { loop: silent } = await createToolLoop(
    request,
    { ...calling, key: asking.key },
    {
      uses: [createAskingUse(asking)],
      atEnd: (work) => atEnd.push(work),
    },
  );
  const loop: Loop = {
    ...silent,
    journal: createListeningJournal(silent.journal, calling.notifier),
  };
  const toolCalls = [{ id: 'call', name: calling.tool.name, input: JSON.stringify(calling.input) }];
  const offered = offerTools(loop, 'now');
  loop.journal.emit(
    toRepliedEvent(loop, { text: '', toolCalls, finish: 'tool-calls' }, { last: false, offered }),
  );
  const [call] = openBatch(loop.frame);
  await runBatch(loop).finally(() => request.host.waitUntil(Promise.allSettled(atEnd.map((work) => work()))));
  if (!call?.ended) throw new Error('A call without a session did not end.');
  return toCallResult(
    withPublishingAdvice(call.ended.result),
    async ({ id }) => (await loop.files?.find(id))?.bytes,
  );
}

/** Allows the tool of a call to ask its client. */
function createAskingUse(asking: ClientQuestions): ModuleUse {
  const use = createUse(ASK_CLIENT_MODULE);
  LOOPS.give(use, {
    run(call, next, { effect }) {
      allowAsking(call, asking, effect);
      return next();
    },
  });
  return use;
}

const ASK_CLIENT_MODULE = createModule({ name: 'mcp-ask-client' });

/** Creates a loop with only this tool, for this caller, as this invocation can run it. */
async function createToolLoop(
  request: EndpointRequest,
  calling: NamedCall,
  { uses, atEnd }: Pick<MemoryLoopConfig, 'uses'> & Pick<Holder, 'atEnd'>,
): Promise<MemoryLoop> {
  const { host, env } = request;
  const { tool, notifier } = calling;
  const ofCaller = await createCallerData(request);
  return createMemoryLoop({
    turn: await digestToolCall(calling, ofCaller.principal),
    ...ofCaller,
    tools: [tool],
    uses,
    model: NO_MODEL,
    env,
    files: host.modules.files?.inMemory(),
    log: host.log,
    live: { restarted: () => {}, progress: (_, status) => notifier.progress(status) },
    holder: {
      claim: (needs) => assertBudget(request, needs),
      count: (subrequests) => host.meter.spend(subrequests),
      late: (_, answer) => host.waitUntil(answer),
      atEnd,
    },
  });
}

/**
 * Returns the basis for a call's `idempotencyKey`. It includes the input, because no data is stored. A client
 * that reuses its key with other input makes a different call, which a receiver must not treat as done. It
 * excludes roles, because they can change.
 */
async function digestToolCall(
  { tool, input, key }: NamedCall,
  { roles: _, ...caller }: Principal,
): Promise<string> {
  return computeSha256Hex(JSON.stringify(['mcp', caller, tool.name, key, input]));
}

/** A published tool opens no loop, so no model is called. */
const NO_MODEL: LoopSpec['model'] = {
  name: 'none',
  ask: () => Promise.reject(new Error('A published tool cannot call a model.')),
};

/** Throws before the tool runs if the invocation has too little left for the tool's declared needs. */
function assertBudget({ host: { meter } }: EndpointRequest, needs: Needs): void {
  const short = meter.shortFor(needs);
  if (short) {
    throw new Error(`This invocation is too close to its limit of ${short} for this tool.`);
  }
  meter.spend(needs.subrequests);
}

/** Receives a tool's messages to the user, which are among the events that are not stored. */
function createListeningJournal(journal: LoopJournal, { say }: Notifier): LoopJournal {
  return {
    get state() {
      return journal.state;
    },
    get changed() {
      return journal.changed;
    },
    emit(...events) {
      journal.emit(...events);
      for (const event of events) if (event.type === 'message-sent') say(event.text);
    },
    durable: () => journal.durable(),
  };
}

/**
 * Adds advice on how to publish a tool that cannot run here: without a session, no person can approve a call.
 */
function withPublishingAdvice(result: ResultData): ResultData {
  if (result.type !== 'error' || result.signal?.type !== 'misconfigured') return result;
  return {
    ...result,
    message: `${result.message} An MCP endpoint has no session: publish an agent that has this tool.`,
  };
}
