/**
 * Defects that break Holdfast's guarantees, and the tests that must detect them. `npm run mutations` applies
 * each mutation to a copy of the checkout and runs its test files. A mutation is located by its function and
 * text, not by file or line, because code can move. Update the entry when you rename the function or change the
 * text. `npm test` reports mutations that no longer match.
 */
export interface Mutation {
  /** The name for `npm run mutations -- --only {name}`. */
  readonly name: string;
  /** The effect of the defect for users. */
  readonly effect: string;
  /** The changed function. A name that is not unique has its owner, such as `Outbox.#append`. */
  readonly in: string;
  /** The replaced text, which must occur exactly once in the function. Any white space matches any other. */
  readonly text: string;
  readonly replacement: string;
  /**
   * The smallest and fastest set of tests that detects the defect. All must pass on unchanged code. They run
   * together until one fails.
   */
  readonly tests: readonly [string, ...string[]];
  /** If `true`, the defect can make the tests hang, which counts as a failure. */
  readonly hangs?: true;
}

const CONTRACT = 'test/gate/node/testing/memory-session.test.ts';

const KEEPER = 'test/gate/node/session/lease-keeper.test.ts';

const INVARIANTS = 'test/gate/workerd/durable-objects/ledger-invariants.test.ts';

const KEEP_SESSION = 'test/gate/node/mcp/tools/keep-session.test.ts';

const INPUT_REQUIRED = 'test/gate/node/mcp/tools/input-required.test.ts';

const QUESTIONS_HOSTILE = 'test/gate/workerd/mcp/server/agent-questions-hostile.test.ts';

const ASK_CLIENT = 'test/gate/workerd/mcp/server/ask-client.test.ts';

const FORKS = 'test/gate/workerd/http/forks.test.ts';

const COPYING = 'test/gate/node/modules/branches/copying.test.ts';

const RETRY = 'test/gate/workerd/http/retry.test.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'write-ahead',
    effect: 'A `once` call runs before its start is in the journal, so it runs twice after a crash.',
    in: 'runExecution',
    text: 'inherited !== effect.effect) await recordStart',
    replacement: 'inherited !== effect.effect) void recordStart',
    tests: ['test/gate/node/session/write-ahead.test.ts'],
  },
  {
    name: 'reconcile',
    effect: 'A `once` call that a dead invocation had started is run again by the next invocation.',
    in: 'runExecution',
    text: "const isInDoubt = inherited === 'once' ||",
    replacement: 'const isInDoubt =',
    tests: ['test/gate/node/session/take-over.test.ts'],
  },
  {
    name: 'outbox',
    effect:
      'An inbox message is deleted by an append that does not yet contain its event, so a crash loses an approval.',
    in: 'Outbox.#takeRead',
    text: '.filter(({ seq }) => seq <= until)',
    replacement: '.filter(({ seq }) => seq <= until || true)',
    tests: ['test/gate/node/session/outbox.test.ts'],
  },
  {
    name: 'lease-held',
    effect:
      'An invocation whose lease has expired starts further calls while another invocation has taken over its turn.',
    in: 'LeaseKeeper.held',
    text: 'this.#options.clock.now() < this.#heard + this.#term',
    replacement: 'this.#heard + this.#term > 0',
    tests: ['test/gate/node/session/lease-keeper.test.ts'],
  },
  {
    name: 'line-told',
    effect:
      'A holder is not notified of a stored cancel, so its model continues for a third of the lease term.',
    in: 'hasNews',
    text: '(findNewestUnread(storage) ?? 0) > (findNewestUnread(storage, before) ?? 0)',
    replacement: 'false',
    tests: ['test/gate/node/session/holder-line.test.ts'],
  },
  {
    name: 'line-slot',
    effect:
      'Six calls and the holder’s socket are seven connections, so the platform breaks the connection of the model.',
    in: 'HolderLine.open',
    text: "slots.hold(() => this.#listen(), 'first')",
    replacement: 'this.#listen()',
    tests: ['test/gate/node/session/holder-line.test.ts'],
  },
  {
    name: 'line-unheld',
    effect:
      'A holder whose append is lost renews its lease forever because messages wait for it, so the turn is never taken over.',
    in: 'LeaseKeeper.#renew',
    text: 'isRenewed && !isSending',
    replacement: 'isRenewed',
    tests: ['test/gate/node/session/holder-line.test.ts'],
  },
  {
    name: 'ping-answered-late',
    effect:
      'A holder measures its lease from the response to a ping, which can be delayed, so it still acts after a take-over.',
    in: 'LeaseKeeper.#onHeld',
    text: 'this.#pinged ?? 0',
    replacement: 'this.#options.clock.now()',
    tests: [KEEPER],
  },
  {
    name: 'ping-of-a-replaced-object',
    effect: 'A replaced object answers the pings of a holder forever, although there is a next holder.',
    in: 'LeaseKeeper.#latest',
    text: '(LINE_TERMS - 1) * this.#term',
    replacement: '(LINE_TERMS + 1_000_000) * this.#term',
    tests: [KEEPER],
  },
  {
    name: 'ping-lost-with-the-line',
    effect: 'A restarted object considers a holder dead whose pings it no longer knows, so calls run twice.',
    in: 'LeaseClock.deadline',
    text: 'if (hasLine && this.#pinged === undefined) return this.nextLook;',
    replacement: '',
    tests: [KEEPER],
  },
  {
    name: 'ping-forgotten',
    effect: 'The last ping on a socket is forgotten when the socket closes, so calls run twice.',
    in: 'LeaseClock.lineClosed',
    text: 'Math.max(this.#heard, pinged ?? this.#heard)',
    replacement: 'this.#heard',
    tests: [CONTRACT],
  },
  {
    name: 'ping-of-a-closed-line',
    effect: 'The turn of a dead holder is taken over only after three terms, although its socket has closed.',
    in: 'LeaseClock.lineClosed',
    text: 'line: -line',
    replacement: 'line',
    tests: [CONTRACT],
  },
  {
    name: 'ping-over-another-line',
    effect: 'The close of an old socket discards the pings on the next one, so an active holder is replaced.',
    in: 'LeaseClock.lineClosed',
    text: 'storage.lease().line !== line',
    replacement: 'storage.lease().line <= 0',
    tests: [INVARIANTS],
  },
  {
    name: 'ping-of-a-zombie',
    effect:
      'The object still answers the pings of a former holder, which then acts at the same time as the next holder.',
    in: 'LeaseClock.take',
    text: 'if (lease.line !== 0) watchers?.fence();',
    replacement: '',
    tests: [CONTRACT],
  },
  {
    name: 'ping-of-a-zombie-to-the-platform',
    effect:
      'The platform still answers the pings of a former holder, which then acts at the same time as the next holder.',
    in: 'createWatchers',
    text: 'ctx.setWebSocketAutoResponse(pair);',
    replacement: 'if (pair) ctx.setWebSocketAutoResponse(pair);',
    tests: ['test/gate/workerd/durable-objects/session-contract.test.ts'],
  },
  {
    name: 'lease-live',
    effect: 'A turn is taken over while its holder may still act, so calls run twice.',
    in: 'LeaseClock.isLive',
    text: 'this.deadline >',
    replacement: 'this.deadline - this.ms / 2 >',
    tests: [CONTRACT],
  },
  {
    name: 'lease-heard',
    effect: 'A restarted object hands over a turn whose holder was active just before the restart.',
    in: 'getLastHeard',
    text: 'storage.lastAppend(epoch) ?? heard',
    replacement: 'heard',
    tests: [CONTRACT],
  },
  {
    name: 'fence',
    effect: 'An invocation that lost its lease still writes to the journal of its successor.',
    in: 'LeaseClock.isHeldBy',
    text: "lease.epoch === epoch && lease.state === 'held'",
    replacement: "lease.epoch >= epoch && lease.state === 'held'",
    tests: [CONTRACT],
  },
  {
    name: 'dedupe-nonce',
    effect: 'Two invocations that request the same turn receive the same lease.',
    in: 'LeaseClock.isGivenTo',
    text: '&& lease.nonce === nonce',
    replacement: '',
    tests: [CONTRACT],
  },
  {
    name: 'dedupe-key',
    effect: 'A repeated message with the same Idempotency-Key starts a second turn.',
    in: 'rememberRequest',
    text: 'if (request !== undefined) {',
    replacement: 'if (request !== undefined && seq < 0) {',
    tests: ['test/gate/workerd/http/idempotency.test.ts'],
  },
  {
    name: 'dedupe-delivery',
    effect: 'A repeated webhook delivery starts a second turn.',
    in: 'toStart',
    text: 'key = usual.id',
    replacement: 'key = crypto.randomUUID()',
    tests: ['test/gate/workerd/http/hooks-replayed.test.ts'],
  },
  {
    name: 'snapshot-version',
    effect: 'After a deployment, a snapshot of an older reducer is used, so tools read invalid state.',
    in: 'SqlChunks.find',
    text: 'AND reducer = ?',
    replacement: 'AND reducer <> ? + 0.5',
    tests: ['test/gate/workerd/durable-objects/session-object.test.ts'],
  },
  {
    name: 'fold-batch',
    effect: 'After parallel calls, only the state that one of them wrote remains.',
    in: 'settleBatch',
    text: 'mergeCallState(state.callState.get(path), changes.state)',
    replacement: 'changes.state',
    tests: ['test/gate/node/journal/reduce.test.ts'],
  },
  {
    name: 'fold-spending',
    effect:
      'The usage of a nested loop does not count toward the enclosing limits, so the limits on tokens and cost are exceeded.',
    in: 'listEnclosingLoops',
    text: 'id = loops[id]?.around',
    replacement: 'id = undefined',
    tests: ['test/gate/node/tool-loop/nested-budgets.test.ts'],
  },
  {
    name: 'fold-compaction',
    effect:
      'The next invocation does not have a summary that was already generated, and shows the summarized messages to the model.',
    in: 'foldCut',
    text: "state.cut = { text: state.messages[0]?.text ?? '', from: state.starts[0] ?? 1 };",
    replacement: '',
    tests: ['test/gate/node/session/compaction-cold.test.ts'],
  },
  {
    name: 'unfolding',
    effect: 'A tool that was unfolded for the whole session closes when its loop ends.',
    in: 'applyUnfolded',
    text: '{ path: place.path }',
    replacement: '{ frame: place.frame }',
    tests: ['test/gate/node/unfolding/durability.test.ts'],
  },
  {
    name: 'chaining',
    effect:
      'A replaced object stays bound in addition to its replacement, so the model can act on the old object.',
    in: 'replaceBinding',
    text: '!isAt(one, binding) || !isSameSlot(one, binding)',
    replacement: 'one !== binding',
    tests: ['test/gate/node/chaining/bindings.test.ts'],
  },
  {
    name: 'playbook',
    effect:
      'Progress for one key of a playbook discards the progress for all other keys, so unlocked tools are locked again.',
    in: 'PLAYBOOK_MEMORY.apply',
    text: '{ ...playbook, [fact.key]: progress }',
    replacement: '{ [fact.key]: progress }',
    tests: ['test/gate/node/playbook/playbook-memory.test.ts'],
  },
  {
    name: 'state-machine',
    effect:
      'A call that opens a state machine resets it to the initial state, although another call has changed the state meanwhile.',
    in: 'POSITION_MEMORY.apply',
    text: 'if (start && Object.hasOwn(positions, key)) return positions;',
    replacement: 'void start;',
    tests: ['test/gate/node/state-machine/positions.test.ts'],
  },
  {
    name: 'one-shot',
    effect:
      'A body that failed to load counts as delivered, so the model is referred to a text that it never received.',
    in: 'oneShotPerLoop',
    text: 'if (isSuccess(result)) memo.remember',
    replacement: 'memo.remember',
    tests: ['test/gate/node/tools/decorators/one-shot-per-loop.test.ts'],
  },
  {
    name: 'process',
    effect: 'A model that inspects the current turn also receives the calls of earlier turns.',
    in: 'PROCESS_MEMORY.observe',
    text: 'return createEmptyMemory(moment.turn);',
    replacement: 'return memory;',
    tests: ['test/gate/node/process-tools/process-memory.test.ts'],
  },
  {
    name: 'listings',
    effect: 'The tools of one MCP server replace those of another server.',
    in: 'LISTINGS.apply',
    text: 'listings.filter((one) => one !== known)',
    replacement: 'listings.filter((one) => one.key === key && one !== known)',
    tests: ['test/gate/node/tools/listings.test.ts'],
  },
  {
    name: 'approval-once',
    effect: 'A second decision is accepted, so a rejected call can be approved.',
    in: 'findClosedWaitProblem',
    text: 'if (taken === null) return null;',
    replacement: 'if (taken?.turn !== undefined || taken === null) return null;',
    tests: [CONTRACT],
  },
  {
    name: 'approval-bound',
    effect: 'An approved call runs although its tool has changed since the approval.',
    in: 'findAnswer',
    text: 'wait?.binding !== binding',
    replacement: 'wait === undefined',
    tests: ['test/gate/node/session/asking.test.ts'],
  },
  {
    name: 'redaction',
    effect: 'A credential that a tool writes to its state stays in the journal forever.',
    in: 'toCallEnding',
    text: 'const [changes, said] = secrets.redact([',
    replacement: 'const [changes, said] = structuredClone([',
    tests: ['test/gate/node/tools/secrets.test.ts'],
  },
  {
    name: 'owner',
    effect: 'Any caller who knows the name of a session can read it, regardless of its owner.',
    in: 'toSessionName',
    text: 'JSON.stringify([tenant === undefined ? id : { tenant }, agent, session])',
    replacement: "JSON.stringify(['', agent, session])",
    tests: ['test/gate/workerd/http/auth.test.ts'],
  },
  {
    name: 'chat-person',
    effect:
      'Two users with the same token whose chats start with the same message receive each other’s tool results.',
    in: 'findContinuedSession',
    text: 'if (!found || (!found.isWords && !isPerson(asked))) continue;',
    replacement: 'if (!found) continue;',
    tests: ['test/gate/workerd/surfaces/openai-chat-persons.test.ts'],
  },
  {
    name: 'delegates',
    effect: 'Any caller can act for any person by sending a header.',
    in: 'resolveSpeaker',
    text: 'if (!delegates) return caller;',
    replacement: '',
    tests: ['test/gate/workerd/modules/http/on-behalf-of.test.ts'],
  },
  {
    name: 'nested-context',
    effect: 'Context from a request overrides the context that a tool sets for its nested loop.',
    in: 'toNestedSpec',
    text: 'context: context ? outside.merge(context) : outside,',
    replacement: 'context: context?.merge(outside) ?? outside,',
    tests: ['test/gate/node/agentic/copies.test.ts'],
  },
  {
    name: 'body-context',
    effect: 'A client can set the tenant of tools in a request body.',
    in: 'parseContext',
    text: '(key) => !allowed.has(key)',
    replacement: '() => false',
    tests: ['test/gate/workerd/http/principal.test.ts'],
  },
  {
    name: 'own-request',
    effect: 'Tools of a turn receive the token of another person who declined a call.',
    in: 'toTurnSecrets',
    text: 'own?.turn === turn ? toOwnRequest(own) : {}',
    replacement: 'own ? toOwnRequest(own) : {}',
    tests: ['test/gate/workerd/http/principal.test.ts'],
  },
  {
    name: 'passed-on',
    effect: 'Anyone who finds the tunnel to a developer’s machine has access without a token.',
    in: 'findRemoteSign',
    text: 'if (PROXY_HEADER.test(name))',
    replacement: 'if (name === PROXY_HEADER.source)',
    tests: ['test/gate/workerd/http/auth.test.ts'],
  },
  {
    name: 'parts-kept',
    effect:
      'A part of a reply is not returned to the provider, which refuses the next request or loses its reasoning.',
    in: 'toWireParts',
    text: 'parts: parts.map(',
    replacement: 'parts: parts.slice(1).map(',
    tests: ['test/gate/node/parts/kept.test.ts'],
  },
  {
    name: 'parts-given',
    effect: 'A model receives the signed reasoning of another model, so its provider refuses the request.',
    in: 'canReadReply',
    text: '(madeBy.provider === provider && madeBy.model === name)',
    replacement: 'madeBy.model !== undefined',
    tests: ['test/gate/node/parts/other-model.test.ts'],
  },
  {
    name: 'parts-changed',
    effect:
      'A reply that a transformer has changed is returned with its old signature, or with the hidden text.',
    in: 'isUnchanged',
    text: 'text === said.text &&',
    replacement: '',
    tests: ['test/gate/node/parts/transformed.test.ts'],
  },
  {
    name: 'kept-session-shared',
    effect:
      'An invocation that takes over a turn continues an MCP session that the previous invocation may still use.',
    in: 'SessionLedger.resume',
    text: "if (next.cause === 'expired') markCredentialsLost(this.#storage);",
    replacement: '',
    tests: [CONTRACT, KEEP_SESSION],
  },
  {
    name: 'kept-session-fenced',
    effect: 'An invocation that has lost its lease can still read the holder’s stored credentials.',
    in: 'SessionLedger.credential',
    text: "return this.clock.isHeldBy(epoch) ? findCredential(this.#storage, key) : { status: 'stale' };",
    replacement: 'return findCredential(this.#storage, key);',
    tests: [CONTRACT],
  },
  {
    name: 'kept-session-ended',
    effect: 'An MCP session that is kept for the next turn ends with the invocation.',
    in: 'OpenConnection.close',
    text: 'if (session !== this.#kept) await',
    replacement: 'await',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-anybody',
    effect: 'Turns of another person in the same session use the first person’s MCP session.',
    in: 'createKeeper',
    text: 'tenant, id, dependsOnContext',
    replacement: 'dependsOnContext',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-shown',
    effect:
      'The id of a kept MCP session is shown to the model and journaled if the server repeats it in a result.',
    in: 'OpenConnection.#keepFor',
    text: 'if (session) hide(SESSION_HEADER, session.id);',
    replacement: '',
    tests: [KEEP_SESSION],
  },
  {
    name: 'lost-session-shown',
    effect:
      'The id of an MCP session is shown to the model if the server’s error about an unknown session contains it.',
    in: 'OpenConnection.#former',
    text: 'if (former?.session) hide(SESSION_HEADER, former.session.id);',
    replacement: '',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-loss',
    effect: 'The model is not informed that its MCP server has lost the data of earlier calls.',
    in: 'OpenConnection.#keepFor',
    text: 'this.#hasLost ||= former.isLost || (former.session !== undefined && !isFormer);',
    replacement: '',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-ids',
    effect:
      'In a continued MCP session, the response to a lost call is used as the response to another call.',
    in: 'StreamableHttp.#renumbered',
    text: 'if (this.#idsFrom === 0) return message;',
    replacement: 'if (this.#idsFrom >= 0) return message;',
    tests: [KEEP_SESSION],
    hangs: true,
  },
  {
    name: 'task-of-another',
    effect: "Any caller who knows the id of another caller's task can read, answer and cancel it.",
    in: 'findNamedTask',
    text: '{ agent: found.agent, session }',
    replacement:
      "{ agent: found.agent, session, owner: within.caller.tenant === undefined ? undefined : { tenant: 'acme' } }",
    tests: ['test/gate/workerd/mcp/server/tasks.test.ts'],
  },
  {
    name: 'state-of-another',
    effect: 'Any caller with the state of a question can answer it in a session of another owner.',
    in: 'continueTurn',
    text: '{ agent, session }',
    replacement: "{ agent, session, owner: { id: 'ann' } }",
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'stream-of-another',
    effect: "Any caller who knows an event id of another caller's call can read the rest of its stream.",
    in: 'resumeCall',
    text: '{ agent: published.agent, session: call.session }',
    replacement:
      "{ agent: published.agent, session: call.session, owner: caller.id === 'bob' ? { id: 'ann' } : undefined }",
    tests: ['test/gate/workerd/mcp/server/resume-call.test.ts'],
  },
  {
    name: 'resource-of-another',
    effect: "All callers can read the files and artifacts of other callers' sessions as resources.",
    in: 'createSessionResources',
    text: 'openSession(request,',
    replacement: "openSession({ ...request, within: { ...request.within, caller: { id: 'anna' } } },",
    tests: ['test/gate/workerd/mcp/server/session-resources.test.ts'],
  },
  {
    name: 'state-of-another-call',
    effect: 'A client that confuses its calls receives the response to another call.',
    in: 'readContinuedTurn',
    text: '|| read.output.call !== (await digestCall(name, sent))',
    replacement: '',
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'input-again',
    effect: 'A client that repeats an accepted answer receives the response that it was not accepted.',
    in: 'acceptInputs',
    text: 'idempotencyKey: ANSWER_KEY',
    replacement: 'idempotencyKey: undefined',
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'input-asked',
    effect: 'A client can decide about a question that it has not yet shown to its user.',
    in: 'acceptInputs',
    text: '[...new Set(inputs.asked)].flatMap(',
    replacement: 'Object.keys(inputs.responses).flatMap(',
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'form-dismissed',
    effect: 'Closing a form without an answer rejects the call.',
    in: 'createApprovalForm',
    text: 'toDeclinedDecision(action, allows)',
    replacement: "toDeclinedDecision('decline', allows)",
    tests: ['test/gate/workerd/mcp/server/agent-questions.test.ts'],
  },
  {
    name: 'client-state-bound',
    effect: 'A client’s answer for one input of a published tool is used for another input.',
    in: 'ClientQuestions.of',
    text: 'if (of !== (await computeDigest(about, before))) throw createInvalidStateError();',
    replacement: '',
    tests: [ASK_CLIENT],
  },
  {
    name: 'client-question-bound',
    effect: 'Consent to one question counts as consent to a later question with the same key.',
    in: 'ClientQuestions.#wasPut',
    text: 'Object.hasOwn(asked, key) && asked[key] === digest',
    replacement: 'Object.hasOwn(asked, key)',
    tests: [ASK_CLIENT],
  },
  {
    name: 'client-once',
    effect: 'A published `once` tool runs again with each answer of its client.',
    in: 'ClientQuestions.answerTo',
    text: 'if (this.mustNotAsk !== undefined) throw new Error(this.mustNotAsk);',
    replacement: '',
    tests: [ASK_CLIENT],
  },
  {
    name: 'put-off-once',
    effect: 'A `once` call that an MCP server has deferred is started at the server again.',
    in: 'readStoredRound',
    text: 'if (!kept.success ||',
    replacement: 'if (!last || !kept.success ||',
    tests: [INPUT_REQUIRED],
  },
  {
    name: 'put-off-state',
    effect: 'A server that defers a call does not receive its own state unchanged.',
    in: 'askRound',
    text: '&& { requestState }',
    replacement: '&& { requestState: requestState.trim() }',
    tests: [INPUT_REQUIRED],
  },
  {
    name: 'put-off-elsewhere',
    effect: 'The answers of users to one server are sent to another server.',
    in: 'readStoredRound',
    text: 'if (kept.output.of === of) return',
    replacement: 'return',
    tests: [INPUT_REQUIRED],
  },
  {
    name: 'issuer-mismatch',
    effect: 'The metadata of an authorization server is accepted although it names another issuer.',
    in: 'toTokenRequest',
    text: '...(scope !== undefined && { scope }),',
    replacement: '...(scope !== undefined && { scope }), skipIssuerMetadataValidation: true,',
    tests: ['test/gate/node/mcp/client/oauth.test.ts'],
  },
  {
    name: 'sign-in-named',
    effect: 'An app without configured authorization servers publishes metadata about authorization.',
    in: 'createMcpRoutes',
    text: '...(authorization ? createMetadataRoutes(authorization, basePath) : [])',
    replacement: '...metadataRoutes(authorization ?? { servers: [] }, basePath)',
    tests: ['test/gate/workerd/mcp/server/authorization.test.ts'],
  },
  {
    name: 'era-mistaken',
    effect: 'A call is sent again to a server that may already have run it.',
    in: 'contradictsProtocol',
    text: '[400, UNKNOWN_SESSION_STATUS, 405].includes(error.status)',
    replacement: 'error.status >= 400',
    tests: ['test/gate/node/mcp/client/revisions.test.ts'],
  },
  {
    name: 'uri-read-back',
    effect: 'A list for one value of a variable is read with another value.',
    in: 'expand',
    text: '(written + text).indexOf(text) < written.length',
    replacement: 'false',
    tests: ['test/gate/node/mcp/server/hostile-text.test.ts'],
  },
  {
    name: 'erased-files-too-soon',
    effect:
      'The files of an erased session are deleted from their store while a former holder may still store one.',
    in: 'computeSafeDeletionTime',
    text: 'now() + clock.ms * 1.25',
    replacement: 'now()',
    tests: [CONTRACT],
  },
  {
    name: 'files-of-an-erased-session',
    effect: 'A message is accepted whose files were stored for an erased session and will be deleted.',
    in: 'findBlobsProblem',
    text: 'blob.outside.incarnation !== incarnation || isMoved',
    replacement: 'isMoved',
    tests: [CONTRACT],
  },
  {
    name: 'file-deleted-under-a-turn',
    effect:
      'A file is deleted while a turn runs, so the content that the model receives depends on the invocation.',
    in: 'findRunningTurn',
    text: "state === 'suspended' ? null : turn",
    replacement: "state === 'suspended' ? turn : null",
    tests: [CONTRACT],
  },
  {
    name: 'signed-links',
    effect: 'A signed file URL also reads the same file in sessions of other owners.',
    in: 'encodeSignedText',
    text: 'toSessionName(session), file, expires',
    replacement: 'session.agent, file, expires',
    tests: ['test/gate/workerd/modules/files/signed-links.test.ts'],
  },
  {
    name: 'expired-links',
    effect: 'A signed file URL never expires.',
    in: 'readLink',
    text: 'if (left <= 0)',
    replacement: 'if (left <= -Infinity)',
    tests: ['test/gate/workerd/modules/files/signed-links.test.ts'],
  },
  {
    name: 'words-for-people',
    effect: 'A page shows the error text of a provider, which may contain internal secrets.',
    in: 'formatDefaultText',
    text: 'INTERNAL_TYPES.has(type) ||',
    replacement: '',
    tests: ['test/gate/workerd/surfaces/tell.test.ts'],
  },
  {
    name: 'fork-repeats',
    effect: 'A fork omits calls with effects without asking anyone, so its model repeats them.',
    in: 'forkSession',
    text: 'if (calls.length > 0 && !repeatEffects)',
    replacement: 'if (calls.length < 0 && !repeatEffects)',
    tests: [FORKS],
  },
  {
    name: 'fork-open-calls',
    effect: 'A call that is running at the fork point does not count as omitted by the fork.',
    in: 'CutOff.read',
    text: "if (call) call.isEffect = event.effect === 'once' || event.effect === 'idempotent';",
    replacement:
      "if (call) call.isEffect = !isShown && (event.effect === 'once' || event.effect === 'idempotent');",
    tests: [FORKS],
  },
  {
    name: 'fork-told',
    effect: 'A fork of a fork does not know which calls the first fork has omitted, so it repeats them.',
    in: 'CutOff.read',
    text: 'if (!isShown && event.as.startsWith(FORK_MESSAGE_PREFIX))',
    replacement: 'if (!isShown && event.as === FORK_MESSAGE_PREFIX)',
    tests: [FORKS],
  },
  {
    name: 'fork-waits',
    effect: 'A call that waits for a decision at the fork point is not declined in the fork.',
    in: 'closeCallsAtCut',
    text: "return { ...end, result: createFailureResult('declined', words) };",
    replacement: 'return end;',
    tests: [COPYING],
  },
  {
    name: 'fork-lease',
    effect: 'A fork with many files loses its lease while they are copied, and restarts the copy forever.',
    in: 'Copy.#keep',
    text: 'await this.#port.renew(this.#leased.epoch);',
    replacement: '',
    tests: [COPYING],
  },
  {
    name: 'fork-note',
    effect: 'A session does not list its forks.',
    in: 'Copy.run',
    text: 'await this.#note(first);',
    replacement: '',
    tests: [COPYING],
  },
  {
    name: 'retry-answered',
    effect: 'An answered message can be retried, so everything that its turn did is done again.',
    in: 'findUnansweredTurn',
    text: 'if (last && !ANSWERED_OUTCOMES.has(last.outcome))',
    replacement: "if (last && !ANSWERED_OUTCOMES.has(last.outcome + '!'))",
    tests: [RETRY],
  },
  {
    name: 'retry-key',
    effect: 'A repeated retry with the same key starts a second turn.',
    in: 'retryTurn',
    text: "known ?? (await deriveTurnId('turn', failed.turn))",
    replacement: 'at.host.newId()',
    tests: [RETRY],
  },
  {
    name: 'index-owner',
    effect: 'Any caller who names another owner in a query can see the owner’s sessions and usage.',
    in: 'getRequestedOwner',
    text: 'assertOperator(caller);',
    replacement: '',
    tests: ['test/gate/workerd/modules/index/lists.test.ts'],
  },
  {
    name: 'operator-journaled',
    effect: 'An operator can read an owner’s session without a record in the journal if the session is full.',
    in: 'recordAccess',
    text: 'if (!ACTIONS_WITHOUT_EVENT.includes(access.action))',
    replacement: 'if (false as boolean)',
    tests: ['test/gate/workerd/modules/operators/operators.test.ts'],
  },
  {
    name: 'operator-decides',
    effect: 'An operator can make a decision that only the owner of the session may make.',
    in: 'assertDecidesByRole',
    text: "if (wait.for !== 'decision' || wait.by === undefined) throw createWaitsForOwnerError(named.call);",
    replacement: "if (wait.for !== 'decision') continue;",
    tests: ['test/gate/workerd/modules/operators/operators.test.ts'],
  },
  {
    name: 'limits-over',
    effect: 'An owner can exceed the daily limit of turns by one, and by another one with each request.',
    in: 'Allowances.#whyOverDay',
    text: 'turns !== undefined && used.turns >= turns',
    replacement: 'turns !== undefined && used.turns > turns',
    tests: ['test/gate/workerd/modules/owner-limits/refusals.test.ts'],
  },
  {
    name: 'limits-settled',
    effect: 'A repeated report returns the unused allowance of a turn twice.',
    in: 'Allowances.settle',
    text: "own?.state === 'settled'",
    replacement: 'false',
    tests: ['test/gate/workerd/modules/owner-limits/allowances.test.ts'],
  },
  {
    name: 'index-erasing',
    effect: 'An owner’s sessions can start during the owner’s erasure, so erased data is stored again.',
    in: 'IndexObject.isErasing',
    text: "typeof this.#tables.about()?.erasing === 'number'",
    replacement: 'false',
    tests: ['test/gate/workerd/modules/index/erase-owner.test.ts'],
  },
];
