/** One step of the walk: a function that a message goes through. */
export interface Step {
  readonly file: string;
  /** The name of the function in the format of `test/source`. `Owner.name` is a nested function. */
  readonly calls: string;
  /** What the function does, in a few words. */
  readonly does: string;
  /**
   * The file of the earlier step that calls it, or `null` for the first step. That file imports the function or
   * its owner.
   */
  readonly from: string | null;
  /** For a call without an import: how the caller receives the function, and by what name. */
  readonly through?: { readonly reason: string; readonly as: string };
}

const STUB = "the Durable Object's stub";
const STORAGE = 'the storage that the object gives its ledger';

/**
 * The walk of one message: `POST /agents/{agent}/sessions/{session}/messages` with a valid body to an idle
 * session. The model requests one tool with an effect, reads its result and answers. The walk leads from the
 * Worker's `fetch` to the reducer and back to the response.
 *
 * It contains each file that runs during the walk and that a reader must open to understand how a message
 * becomes an answer. It omits checks that pass (auth, origins, headers, body limits), the model's adapter, the
 * code of the tool, memories of kinds without data, inspection, compaction, external tools, counters and limits
 * that are not reached, retries of lost requests, and helpers whose names describe them completely.
 *
 * `npm run measure-code` checks every step against the code.
 */
export const WALK: readonly Step[] = [
  // A request becomes a turn.
  { file: 'src/worker/app.ts', calls: 'createApp', does: 'takes the request, and routes it', from: null },
  {
    file: 'src/worker/target.ts',
    calls: 'toInvokedHost',
    does: 'makes the app one of this invocation, which counts',
    from: 'src/worker/app.ts',
  },
  {
    file: 'src/worker/target.ts',
    calls: 'createTarget',
    does: 'finds the session',
    from: 'src/worker/app.ts',
  },
  {
    file: 'src/worker/routes/session.ts',
    calls: 'receiveMessage',
    does: 'reads the message off the request',
    from: 'src/worker/app.ts',
    through: { reason: 'the entry of the route table that was found', as: 'handle' },
  },
  {
    file: 'src/worker/send-message.ts',
    calls: 'sendMessage',
    does: 'takes the message, whichever way it comes',
    from: 'src/worker/routes/session.ts',
  },
  {
    file: 'src/journal/event-rows.ts',
    calls: 'toTurnStart',
    does: 'writes the rows that start a turn',
    from: 'src/worker/send-message.ts',
  },
  {
    file: 'src/journal/event-rows.ts',
    calls: 'toRow',
    does: 'writes an event as a row',
    from: 'src/journal/event-rows.ts',
  },
  {
    file: 'src/worker/target.ts',
    calls: 'createTurnServices',
    does: 'finds agent, model, context and secrets',
    from: 'src/worker/send-message.ts',
  },
  // The lease: the object stores the start and grants a lease.
  {
    file: 'src/session/object-session.ts',
    calls: 'createObjectSession.begin',
    does: 'asks the object for the lease',
    from: 'src/worker/send-message.ts',
    through: { reason: 'the port of the session that was found', as: 'begin' },
  },
  {
    file: 'durable-objects/session-object.ts',
    calls: 'SessionObject.begin',
    does: 'takes the request for the lease',
    from: 'src/session/object-session.ts',
    through: { reason: STUB, as: 'begin' },
  },
  {
    file: 'durable-objects/ledger.ts',
    calls: 'SessionLedger.begin',
    does: 'stores the start of the turn, and the session itself if it is new',
    from: 'durable-objects/session-object.ts',
  },
  {
    file: 'durable-objects/lease.ts',
    calls: 'LeaseClock.take',
    does: 'gives out a new epoch',
    from: 'durable-objects/ledger.ts',
  },
  {
    file: 'durable-objects/lease.ts',
    calls: 'toLeaseGrant',
    does: 'sends what must be folded along with the lease',
    from: 'durable-objects/ledger.ts',
  },
  {
    file: 'durable-objects/sql-storage.ts',
    calls: 'SqlSessionStorage.addEvents',
    does: 'writes rows',
    from: 'durable-objects/ledger.ts',
    through: { reason: STORAGE, as: 'addEvents' },
  },
  // The turn: fold the journal, hold the lease, run the loop.
  {
    file: 'src/worker/turn-response.ts',
    calls: 'respondWithTurn',
    does: 'makes a response of what becomes of the turn',
    from: 'src/worker/routes/session.ts',
  },
  {
    file: 'src/worker/begun-turn.ts',
    calls: 'awaitView',
    does: 'runs the turn and answers how it stands then',
    from: 'src/worker/turn-response.ts',
  },
  {
    file: 'src/session/watching/turn-outcome.ts',
    calls: 'waitForOwnOutcome',
    does: 'waits for the turn',
    from: 'src/worker/begun-turn.ts',
  },
  {
    file: 'src/session/run-turn.ts',
    calls: 'runTurn',
    does: 'drives the turn',
    from: 'src/worker/begun-turn.ts',
  },
  {
    file: 'src/session/fold-session.ts',
    calls: 'foldAndRenew',
    does: 'folds page by page, and keeps the lease meanwhile',
    from: 'src/session/run-turn.ts',
  },
  {
    file: 'src/session/held-session.ts',
    calls: 'HeldSession.checkpoint',
    does: 'holds the session',
    from: 'src/session/run-turn.ts',
  },
  {
    file: 'src/session/lease-keeper.ts',
    calls: 'LeaseKeeper.held',
    does: 'watches the lease',
    from: 'src/session/held-session.ts',
  },
  {
    file: 'src/session/outbox.ts',
    calls: 'Outbox.emit',
    does: 'folds an event and sends it',
    from: 'src/session/held-session.ts',
  },
  {
    file: 'src/session/run-turn.ts',
    calls: 'assembleLoop',
    does: 'assembles the loop',
    from: 'src/session/run-turn.ts',
  },
  {
    file: 'src/loop/run-loop.ts',
    calls: 'runForOutput',
    does: 'asks the model, runs its calls and ends',
    from: 'src/session/run-turn.ts',
  },
  {
    file: 'src/loop/next-step.ts',
    calls: 'decideNextStep',
    does: 'decides what comes next',
    from: 'src/loop/run-loop.ts',
  },
  // The model call.
  {
    file: 'src/loop/ask-model.ts',
    calls: 'askModel',
    does: 'asks the model, and makes an event of its reply',
    from: 'src/loop/run-loop.ts',
  },
  {
    file: 'src/loop/loop.ts',
    calls: 'toLoopFields',
    does: 'says what a loop is',
    from: 'src/loop/ask-model.ts',
  },
  {
    file: 'src/loop/offer-tools.ts',
    calls: 'offerTools',
    does: 'decides which tools are offered',
    from: 'src/loop/ask-model.ts',
  },
  {
    file: 'src/loop/shown-history.ts',
    calls: 'toModelMessages',
    does: 'makes the messages that the model is shown',
    from: 'src/loop/ask-model.ts',
  },
  // The tool call and its effect.
  {
    file: 'src/loop/batch.ts',
    calls: 'createBatch',
    does: 'finds the tools that the reply asks for',
    from: 'src/loop/run-loop.ts',
  },
  {
    file: 'src/loop/execute-call.ts',
    calls: 'executeCall',
    does: 'executes one call, if it is permitted',
    from: 'src/loop/run-loop.ts',
  },
  {
    file: 'src/loop/batch.ts',
    calls: 'CallView.changes',
    does: 'shows the session to the call, and collects what it changes',
    from: 'src/loop/execute-call.ts',
  },
  {
    file: 'src/loop/call-run.ts',
    calls: 'toCallRun',
    does: 'makes what the tool is given',
    from: 'src/loop/execute-call.ts',
  },
  {
    file: 'src/tool/define-tool.ts',
    calls: 'defineTool.call',
    does: 'checks the input and executes',
    from: 'src/loop/execute-call.ts',
    through: { reason: 'the tool that the call names', as: 'call' },
  },
  {
    file: 'src/loop/run-effect.ts',
    calls: 'runExecution',
    does: 'journals the start, runs the effect',
    from: 'src/loop/call-run.ts',
  },
  {
    file: 'src/loop/call-ending.ts',
    calls: 'toCallEnding',
    does: 'makes an end of its answer that the journal can keep',
    from: 'src/loop/execute-call.ts',
  },
  {
    file: 'src/tool/tool-result.ts',
    calls: 'toModelText',
    does: 'says what the model reads of it',
    from: 'src/loop/shown-history.ts',
  },
  // The journal: an event is folded here and stored there.
  {
    file: 'src/journal/state.ts',
    calls: 'toFrameField',
    does: 'says what is folded of the events',
    from: 'src/loop/loop.ts',
  },
  { file: 'src/journal/reduce.ts', calls: 'reduce', does: 'folds an event', from: 'src/session/outbox.ts' },
  {
    file: 'src/journal/conversation.ts',
    calls: 'openBatch',
    does: 'finds the calls that are open',
    from: 'src/loop/batch.ts',
  },
  {
    file: 'src/journal/fold-loop.ts',
    calls: 'startTurn',
    does: 'opens the turn and its loop',
    from: 'src/journal/reduce.ts',
  },
  {
    file: 'src/journal/fold-loop.ts',
    calls: 'foldConversation',
    does: 'folds the messages',
    from: 'src/journal/reduce.ts',
  },
  {
    file: 'durable-objects/session-object.ts',
    calls: 'SessionObject.append',
    does: 'takes rows',
    from: 'src/session/object-session.ts',
    through: { reason: STUB, as: 'append' },
  },
  {
    file: 'durable-objects/ledger.ts',
    calls: 'SessionLedger.append',
    does: 'stores rows of the holder and of nobody else',
    from: 'durable-objects/session-object.ts',
  },
  // The response: the turn ends with an outcome.
  {
    file: 'src/journal/conversation.ts',
    calls: 'closeOpenCalls',
    does: 'closes what is open',
    from: 'src/session/run-turn.ts',
  },
  {
    file: 'durable-objects/appends.ts',
    calls: 'storeRest',
    does: 'stores what comes with the last events',
    from: 'durable-objects/ledger.ts',
  },
  {
    file: 'durable-objects/lease.ts',
    calls: 'settleLease',
    does: 'gives the lease back',
    from: 'durable-objects/appends.ts',
  },
  {
    file: 'src/session/watching/turn-outcome.ts',
    calls: 'toTurnAnswer',
    does: 'makes the answer of the turn',
    from: 'src/session/watching/turn-outcome.ts',
  },
];
