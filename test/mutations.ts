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
  readonly breaks: string;
  /** The changed function. A name that is not unique has its owner, such as `Outbox.#append`. */
  readonly in: string;
  /** The replaced text, which must occur exactly once in the function. Any white space matches any other. */
  readonly text: string;
  readonly becomes: string;
  /**
   * The fewest and fastest tests that detect the defect. Each must pass on the unchanged code. They run
   * together until one fails.
   */
  readonly tests: readonly [string, ...string[]];
  /** If `true`, the defect can keep the tests from ending, which counts as a failure. */
  readonly hangs?: true;
}

const CONTRACT = 'test/gate/node/testing/memory-session.test.ts';

const KEEPER = 'test/gate/node/session/lease-keeper.test.ts';

const INVARIANTS = 'test/gate/workerd/durable-objects/ledger-invariants.test.ts';

const KEEP_SESSION = 'test/gate/node/mcp/tools/keep-session.test.ts';

const PUT_OFF = 'test/gate/node/mcp/tools/input-required.test.ts';

const QUESTIONS_HOSTILE = 'test/gate/workerd/mcp/server/agent-questions-hostile.test.ts';

const ASK_CLIENT = 'test/gate/workerd/mcp/server/ask-client.test.ts';

const FORKS = 'test/gate/workerd/http/forks.test.ts';

const COPYING = 'test/gate/node/modules/branches/copying.test.ts';

const RETRY = 'test/gate/workerd/http/retry.test.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'write-ahead',
    breaks: 'A call that may run only once runs before the journal knows of it: a crash then runs it twice.',
    in: 'runExecution',
    text: 'inherited !== effect.effect) await journalStart',
    becomes: 'inherited !== effect.effect) void journalStart',
    tests: ['test/gate/node/session/write-ahead.test.ts'],
  },
  {
    name: 'reconcile',
    breaks:
      'A call that may run only once, and was begun by an invocation that died, is run again by the next.',
    in: 'runExecution',
    text: "const isInDoubt = inherited === 'once' ||",
    becomes: 'const isInDoubt =',
    tests: ['test/gate/node/session/take-over.test.ts'],
  },
  {
    name: 'outbox',
    breaks:
      'A note is deleted with an append that does not yet hold what was made of it: a crash loses an approval.',
    in: 'Outbox.#takeRead',
    text: '.filter(({ seq }) => seq <= until)',
    becomes: '.filter(({ seq }) => seq <= until || true)',
    tests: ['test/gate/node/session/outbox.test.ts'],
  },
  {
    name: 'lease-held',
    breaks:
      'An invocation whose lease has run out starts further calls, beside the one that has taken its turn over.',
    in: 'LeaseKeeper.held',
    text: 'this.#options.clock.now() < this.#heard + this.#term',
    becomes: 'this.#heard + this.#term > 0',
    tests: ['test/gate/node/session/lease-keeper.test.ts'],
  },
  {
    name: 'line-told',
    breaks: 'A cancel is stored, and nobody tells the holder: its model goes on for a third of the term.',
    in: 'hasNews',
    text: '(newestUnread(storage) ?? 0) > (newestUnread(storage, before) ?? 0)',
    becomes: 'false',
    tests: ['test/gate/node/session/holder-line.test.ts'],
  },
  {
    name: 'line-slot',
    breaks: 'Six calls and the line are seven connections: the platform cuts off the model that answers.',
    in: 'HolderLine.open',
    text: "slots.hold(() => this.#listen(), 'first')",
    becomes: 'this.#listen()',
    tests: ['test/gate/node/session/holder-line.test.ts'],
  },
  {
    name: 'line-unheld',
    breaks:
      'A holder whose append is lost renews its lease for ever, since messages are left for it: nobody takes over.',
    in: 'LeaseKeeper.#renew',
    text: 'isRenewed && !isSending',
    becomes: 'isRenewed',
    tests: ['test/gate/node/session/holder-line.test.ts'],
  },
  {
    name: 'ping-answered-late',
    breaks:
      'A holder counts from the answer to its ping, which may be long on its way: it acts after another was given its turn.',
    in: 'LeaseKeeper.#onHeld',
    text: 'this.#pinged ?? 0',
    becomes: 'this.#options.clock.now()',
    tests: [KEEPER],
  },
  {
    name: 'ping-of-a-replaced-object',
    breaks: 'An object that was replaced answers the pings of a holder for ever, beside the next holder.',
    in: 'LeaseKeeper.#latest',
    text: '(LINE_TERMS - 1) * this.#term',
    becomes: '(LINE_TERMS + 1_000_000) * this.#term',
    tests: [KEEPER],
  },
  {
    name: 'ping-lost-with-the-line',
    breaks: 'An object that restarts takes the holder for dead that it has lost sight of: calls run twice.',
    in: 'LeaseClock.deadline',
    text: 'if (hasLine && this.#pinged === undefined) return this.nextLook;',
    becomes: '',
    tests: [KEEPER],
  },
  {
    name: 'ping-forgotten',
    breaks: 'What was heard over a line is forgotten as it closes: calls run twice.',
    in: 'LeaseClock.lineClosed',
    text: 'Math.max(this.#heard, pinged ?? this.#heard)',
    becomes: 'this.#heard',
    tests: [CONTRACT],
  },
  {
    name: 'ping-of-a-closed-line',
    breaks: 'The turn of a holder that died is taken over three terms later, though its line has closed.',
    in: 'LeaseClock.lineClosed',
    text: 'line: -line',
    becomes: 'line',
    tests: [CONTRACT],
  },
  {
    name: 'ping-over-another-line',
    breaks: 'The close of an old line ends what is heard over the next one: a living holder is replaced.',
    in: 'LeaseClock.lineClosed',
    text: 'storage.lease().line !== line',
    becomes: 'storage.lease().line <= 0',
    tests: [INVARIANTS],
  },
  {
    name: 'ping-of-a-zombie',
    breaks:
      'The pings of a holder that has lost the session are answered as before: it acts beside the next one.',
    in: 'LeaseClock.take',
    text: 'if (lease.line !== 0) watchers?.fence();',
    becomes: '',
    tests: [CONTRACT],
  },
  {
    name: 'ping-of-a-zombie-to-the-platform',
    breaks: 'The platform goes on answering a holder that has lost the session: it acts beside the next one.',
    in: 'createWatchers',
    text: 'ctx.setWebSocketAutoResponse(pair);',
    becomes: 'if (pair) ctx.setWebSocketAutoResponse(pair);',
    tests: ['test/gate/workerd/durable-objects/session-contract.test.ts'],
  },
  {
    name: 'lease-live',
    breaks: 'A turn is taken over while its holder may still act: calls run twice.',
    in: 'LeaseClock.isLive',
    text: 'this.deadline >',
    becomes: 'this.deadline - this.ms / 2 >',
    tests: [CONTRACT],
  },
  {
    name: 'lease-heard',
    breaks: 'An object that starts anew gives a turn away whose holder it has just heard.',
    in: 'lastHeard',
    text: 'storage.lastAppend(epoch) ?? heard',
    becomes: 'heard',
    tests: [CONTRACT],
  },
  {
    name: 'fence',
    breaks: 'An invocation that was given up for dead still writes to the journal of its successor.',
    in: 'LeaseClock.isHeldBy',
    text: "lease.epoch === epoch && lease.state === 'held'",
    becomes: "lease.epoch >= epoch && lease.state === 'held'",
    tests: [CONTRACT],
  },
  {
    name: 'dedupe-nonce',
    breaks: 'Two invocations that ask for one turn are both given the same lease.',
    in: 'LeaseClock.isGivenTo',
    text: '&& lease.nonce === nonce',
    becomes: '',
    tests: [CONTRACT],
  },
  {
    name: 'dedupe-key',
    breaks: 'A message that is sent again under its Idempotency-Key starts a second turn.',
    in: 'rememberRequest',
    text: 'if (request !== undefined) {',
    becomes: 'if (request !== undefined && seq < 0) {',
    tests: ['test/gate/workerd/http/idempotency.test.ts'],
  },
  {
    name: 'dedupe-delivery',
    breaks: 'A delivery of a webhook that its sender repeats starts a second turn.',
    in: 'toStart',
    text: 'key = usual.id',
    becomes: 'key = crypto.randomUUID()',
    tests: ['test/gate/workerd/http/hooks-replayed.test.ts'],
  },
  {
    name: 'snapshot-version',
    breaks:
      'After a deploy, what an older version has folded is taken for what this one would: tools remember nonsense.',
    in: 'SqlChunks.find',
    text: 'AND reducer = ?',
    becomes: 'AND reducer <> ? + 0.5',
    tests: ['test/gate/workerd/durable-objects/session-object.test.ts'],
  },
  {
    name: 'fold-batch',
    breaks: 'Of calls that ran side by side, the state that only one of them wrote is all that is left.',
    in: 'settleBatch',
    text: 'mergeCallState(state.callState.get(path), changes.state)',
    becomes: 'changes.state',
    tests: ['test/gate/node/journal/reduce.test.ts'],
  },
  {
    name: 'fold-spending',
    breaks: 'What a nested loop uses does not count in the limits around it: tokens and cost are overspent.',
    in: 'loopsAround',
    text: 'id = loops[id]?.around',
    becomes: 'id = undefined',
    tests: ['test/gate/node/tool-loop/nested-budgets.test.ts'],
  },
  {
    name: 'fold-compaction',
    breaks:
      'A summary is paid for, and forgotten by the next invocation, which is shown all that it stood for.',
    in: 'foldCut',
    text: "state.cut = { text: state.messages[0]?.text ?? '', from: state.starts[0] ?? 1 };",
    becomes: '',
    tests: ['test/gate/node/session/compaction-cold.test.ts'],
  },
  {
    name: 'unfolding',
    breaks: 'A tool that was unfolded for the whole session is closed again when its loop has ended.',
    in: 'applyUnfolded',
    text: '{ path: place.path }',
    becomes: '{ frame: place.frame }',
    tests: ['test/gate/node/unfolding/durability.test.ts'],
  },
  {
    name: 'chaining',
    breaks:
      'An object that was replaced stays bound beside the one that replaced it: the model acts on the old one.',
    in: 'replaceBinding',
    text: '!isAt(one, binding) || !isSameSlot(one, binding)',
    becomes: 'one !== binding',
    tests: ['test/gate/node/chaining/bindings.test.ts'],
  },
  {
    name: 'playbook',
    breaks:
      'Progress under one key of a playbook forgets that under every other: tools that were earned are locked.',
    in: 'PLAYBOOKS.apply',
    text: '{ ...playbook, [fact.key]: progress }',
    becomes: '{ [fact.key]: progress }',
    tests: ['test/gate/node/playbook/playbook-memory.test.ts'],
  },
  {
    name: 'state-machine',
    breaks:
      'A call that opens a machine sends it back to its first state, though another has moved it meanwhile.',
    in: 'POSITIONS.apply',
    text: 'if (start && Object.hasOwn(positions, key)) return positions;',
    becomes: 'void start;',
    tests: ['test/gate/node/state-machine/positions.test.ts'],
  },
  {
    name: 'one-shot',
    breaks: 'A body that failed to load counts as delivered: the model is told to read what is not there.',
    in: 'oneShotPerLoop',
    text: 'if (isSuccess(result)) memo.remember',
    becomes: 'memo.remember',
    tests: ['test/gate/node/tools/decorators/one-shot-per-loop.test.ts'],
  },
  {
    name: 'process',
    breaks: 'A model that asks what was done in this turn is told of the turns before it, too.',
    in: 'PROCESS.observe',
    text: 'return emptyMemory(moment.turn);',
    becomes: 'return memory;',
    tests: ['test/gate/node/process-tools/process-memory.test.ts'],
  },
  {
    name: 'listings',
    breaks: 'The tools of one MCP server take the place of those of another.',
    in: 'LISTINGS.apply',
    text: 'listings.filter((one) => one !== known)',
    becomes: 'listings.filter((one) => one.key === key && one !== known)',
    tests: ['test/gate/node/tools/listings.test.ts'],
  },
  {
    name: 'approval-once',
    breaks: 'A decision is taken a second time: what was rejected is approved after all.',
    in: 'closedWaitProblem',
    text: 'if (taken === null) return null;',
    becomes: 'if (taken?.turn !== undefined || taken === null) return null;',
    tests: [CONTRACT],
  },
  {
    name: 'approval-bound',
    breaks: 'What was approved for one call is run by a tool that has become another one since.',
    in: 'answerAt',
    text: 'wait?.binding !== binding',
    becomes: 'wait === undefined',
    tests: ['test/gate/node/session/asking.test.ts'],
  },
  {
    name: 'redaction',
    breaks: 'A credential that a tool writes into its state is kept in the journal for ever.',
    in: 'toCallEnding',
    text: 'const [changes, said] = secrets.redact([',
    becomes: 'const [changes, said] = structuredClone([',
    tests: ['test/gate/node/tools/secrets.test.ts'],
  },
  {
    name: 'owner',
    breaks: 'Whoever knows the name of a session reads it, whosoever it is.',
    in: 'toSessionName',
    text: 'JSON.stringify([tenant === undefined ? id : { tenant }, agent, session])',
    becomes: "JSON.stringify(['', agent, session])",
    tests: ['test/gate/workerd/http/auth.test.ts'],
  },
  {
    name: 'chat-person',
    breaks: 'Two users of one token whose chats begin alike are given each other’s results of tools.',
    in: 'findContinuedSession',
    text: 'if (!found || (!found.isWords && !isPerson(asked))) continue;',
    becomes: 'if (!found) continue;',
    tests: ['test/gate/workerd/surfaces/openai-chat-persons.test.ts'],
  },
  {
    name: 'delegates',
    breaks: 'Any caller speaks for any person by a header.',
    in: 'resolveSpeaker',
    text: 'if (!delegates) return caller;',
    becomes: '',
    tests: ['test/gate/workerd/modules/http/on-behalf-of.test.ts'],
  },
  {
    name: 'nested-context',
    breaks: 'Context from outside hides the context that a tool declares for the loop inside it.',
    in: 'toNestedSpec',
    text: 'context: context ? outside.merge(context) : outside,',
    becomes: 'context: context?.merge(outside) ?? outside,',
    tests: ['test/gate/node/agentic/copies.test.ts'],
  },
  {
    name: 'body-context',
    breaks: 'A client chooses in a body for which tenant the tools act.',
    in: 'parseContext',
    text: '(key) => !allowed.has(key)',
    becomes: '() => false',
    tests: ['test/gate/workerd/http/principal.test.ts'],
  },
  {
    name: 'own-request',
    breaks: 'The token of whoever declines a call is lent to the tools of the other’s turn.',
    in: 'toTurnSecrets',
    text: 'own?.turn === turn ? toOwnRequest(own) : {}',
    becomes: 'own ? toOwnRequest(own) : {}',
    tests: ['test/gate/workerd/http/principal.test.ts'],
  },
  {
    name: 'passed-on',
    breaks: 'Whoever finds the tunnel to a developer’s machine is let in without a token.',
    in: 'findRemoteSign',
    text: 'if (PROXY_HEADER.test(name))',
    becomes: 'if (name === PROXY_HEADER.source)',
    tests: ['test/gate/workerd/http/auth.test.ts'],
  },
  {
    name: 'parts-kept',
    breaks:
      'A provider is not given back all of a reply: it refuses the next request, or forgets what it thought.',
    in: 'toWireParts',
    text: 'parts: parts.map(',
    becomes: 'parts: parts.slice(1).map(',
    tests: ['test/gate/node/parts/kept.test.ts'],
  },
  {
    name: 'parts-given',
    breaks: 'A model is given what another one thought and signed, and its provider refuses the request.',
    in: 'canReadReply',
    text: '(madeBy.provider === provider && madeBy.model === name)',
    becomes: 'madeBy.model !== undefined',
    tests: ['test/gate/node/parts/other-model.test.ts'],
  },
  {
    name: 'parts-changed',
    breaks:
      'A reply that a transformer has changed goes back under the signature of what it was, or with what was to be hidden.',
    in: 'isUnchanged',
    text: 'text === said.text &&',
    becomes: '',
    tests: ['test/gate/node/parts/transformed.test.ts'],
  },
  {
    name: 'kept-session-shared',
    breaks:
      'An invocation that takes a turn over goes on in the session of a server that the one before may still use.',
    in: 'SessionLedger.resume',
    text: "if (next.cause === 'expired') markCredentialsLost(this.#storage);",
    becomes: '',
    tests: [CONTRACT, KEEP_SESSION],
  },
  {
    name: 'kept-session-fenced',
    breaks: 'An invocation that has lost its turn still reads what the session keeps for its holder.',
    in: 'SessionLedger.credential',
    text: "return this.clock.isHeldBy(epoch) ? findCredential(this.#storage, key) : { status: 'stale' };",
    becomes: 'return findCredential(this.#storage, key);',
    tests: [CONTRACT],
  },
  {
    name: 'kept-session-ended',
    breaks: 'The session of a server that is kept for the next turn is ended with the invocation.',
    in: 'OpenConnection.close',
    text: 'if (session !== this.#kept) await',
    becomes: 'await',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-anybody',
    breaks:
      'Another person in the same session is spoken to in the session that the first has with a server.',
    in: 'createKeeper',
    text: 'tenant, id, dependsOnContext',
    becomes: 'dependsOnContext',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-shown',
    breaks: 'The id of a kept session is shown to the model, and journaled, where its server repeats it.',
    in: 'OpenConnection.#keepFor',
    text: 'if (session) hide(SESSION_HEADER, session.id);',
    becomes: '',
    tests: [KEEP_SESSION],
  },
  {
    name: 'lost-session-shown',
    breaks: 'The id of a session is shown to the model where its server says that it does not know it.',
    in: 'OpenConnection.#former',
    text: 'if (former?.session) hide(SESSION_HEADER, former.session.id);',
    becomes: '',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-loss',
    breaks: 'A model is not told that its server has lost what earlier calls left there.',
    in: 'OpenConnection.#keepFor',
    text: 'this.#hasLost ||= former.isLost || (former.session !== undefined && !isFormer);',
    becomes: '',
    tests: [KEEP_SESSION],
  },
  {
    name: 'kept-session-ids',
    breaks: 'In a session that goes on, the answer to a call that was lost is taken for that of another.',
    in: 'StreamableHttp.#renumbered',
    text: 'if (this.#idsFrom === 0) return message;',
    becomes: 'if (this.#idsFrom >= 0) return message;',
    tests: [KEEP_SESSION],
    hangs: true,
  },
  {
    name: 'task-of-another',
    breaks: "Whoever knows the id of somebody else's task reads it, answers it and stops it.",
    in: 'findNamedTask',
    text: '{ agent: found.agent, session }',
    becomes:
      "{ agent: found.agent, session, owner: within.caller.tenant === undefined ? undefined : { tenant: 'acme' } }",
    tests: ['test/gate/workerd/mcp/server/tasks.test.ts'],
  },
  {
    name: 'state-of-another',
    breaks: 'Whoever has the state of a question decides it, in a session that is not theirs.',
    in: 'continueTurn',
    text: '{ agent, session }',
    becomes: "{ agent, session, owner: { id: 'ann' } }",
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'stream-of-another',
    breaks: "Whoever knows the id of an event of somebody else's call reads the rest of its stream.",
    in: 'resumeCall',
    text: '{ agent: published.agent, session: call.session }',
    becomes:
      "{ agent: published.agent, session: call.session, owner: caller.id === 'bob' ? { id: 'ann' } : undefined }",
    tests: ['test/gate/workerd/mcp/server/resume-call.test.ts'],
  },
  {
    name: 'resource-of-another',
    breaks: "Files and artifacts of somebody else's session are resources of everybody.",
    in: 'createSessionResources',
    text: 'openSession(request,',
    becomes: "openSession({ ...request, within: { ...request.within, caller: { id: 'anna' } } },",
    tests: ['test/gate/workerd/mcp/server/session-resources.test.ts'],
  },
  {
    name: 'state-of-another-call',
    breaks: 'A client that mixes up its calls gets the answer to another one.',
    in: 'readContinuedTurn',
    text: '|| read.output.call !== (await digestCall(name, sent))',
    becomes: '',
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'input-again',
    breaks: 'A client whose answer came, and that sends it again, is told that it was not taken.',
    in: 'acceptInputs',
    text: 'idempotencyKey: ANSWER_KEY',
    becomes: 'idempotencyKey: undefined',
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'input-asked',
    breaks: 'A client decides what it has not shown to anybody yet.',
    in: 'acceptInputs',
    text: '[...new Set(inputs.asked)].flatMap(',
    becomes: 'Object.keys(inputs.responses).flatMap(',
    tests: [QUESTIONS_HOSTILE],
  },
  {
    name: 'form-dismissed',
    breaks: 'Whoever closes a form without an answer has rejected what it asks.',
    in: 'createApprovalForm',
    text: 'toDeclinedDecision(action, allows)',
    becomes: "toDeclinedDecision('decline', allows)",
    tests: ['test/gate/workerd/mcp/server/agent-questions.test.ts'],
  },
  {
    name: 'client-state-bound',
    breaks: 'What a client answered for one input of a published tool is taken for another.',
    in: 'ClientQuestions.of',
    text: 'if (of !== (await digestOf(about, before))) throw invalidStateError();',
    becomes: '',
    tests: [ASK_CLIENT],
  },
  {
    name: 'client-question-bound',
    breaks: 'Who agreed to one question has agreed to another one that has its key by now.',
    in: 'ClientQuestions.#wasPut',
    text: 'Object.hasOwn(asked, key) && asked[key] === digest',
    becomes: 'Object.hasOwn(asked, key)',
    tests: [ASK_CLIENT],
  },
  {
    name: 'client-once',
    breaks: 'A published tool that must run only once runs anew with each answer of its client.',
    in: 'ClientQuestions.answerTo',
    text: 'if (this.mustNotAsk !== undefined) throw new Error(this.mustNotAsk);',
    becomes: '',
    tests: [ASK_CLIENT],
  },
  {
    name: 'put-off-once',
    breaks: 'A call that may run only once, and that its server has put off, is begun at the server again.',
    in: 'readStoredRound',
    text: 'if (!kept.success ||',
    becomes: 'if (!last || !kept.success ||',
    tests: [PUT_OFF],
  },
  {
    name: 'put-off-state',
    breaks: 'A server that puts a call off does not get its own state back as it was.',
    in: 'askRound',
    text: '&& { requestState }',
    becomes: '&& { requestState: requestState.trim() }',
    tests: [PUT_OFF],
  },
  {
    name: 'put-off-elsewhere',
    breaks: 'What people have answered to one server is sent to another.',
    in: 'readStoredRound',
    text: 'if (kept.output.of === of) return',
    becomes: 'return',
    tests: [PUT_OFF],
  },
  {
    name: 'issuer-mismatch',
    breaks: 'Metadata of an authorization server that says it is another one are believed.',
    in: 'toTokenRequest',
    text: '...(scope !== undefined && { scope }),',
    becomes: '...(scope !== undefined && { scope }), skipIssuerMetadataValidation: true,',
    tests: ['test/gate/node/mcp/client/oauth.test.ts'],
  },
  {
    name: 'sign-in-named',
    breaks: 'An app that has not said who signs in its callers tells them something about it.',
    in: 'createMcpRoutes',
    text: '...(authorization ? createMetadataRoutes(authorization, basePath) : [])',
    becomes: '...metadataRoutes(authorization ?? { servers: [] }, basePath)',
    tests: ['test/gate/workerd/mcp/server/authorization.test.ts'],
  },
  {
    name: 'era-mistaken',
    breaks: 'A call is sent again, to a server that may have done it.',
    in: 'contradictsProtocol',
    text: '[400, UNKNOWN_SESSION_STATUS, 405].includes(error.status)',
    becomes: 'error.status >= 400',
    tests: ['test/gate/node/mcp/client/revisions.test.ts'],
  },
  {
    name: 'uri-read-back',
    breaks: 'What is listed by one value of a variable is read by another.',
    in: 'expand',
    text: '(written + text).indexOf(text) < written.length',
    becomes: 'false',
    tests: ['test/gate/node/mcp/server/hostile-text.test.ts'],
  },
  {
    name: 'erased-files-too-soon',
    breaks:
      'The files of an erased session are deleted in their store while a zombie may still put one there.',
    in: 'safeDeletionTime',
    text: 'now() + clock.ms * 1.25',
    becomes: 'now()',
    tests: [CONTRACT],
  },
  {
    name: 'files-of-an-erased-session',
    breaks:
      'A message is accepted whose files were put into the store for an erased session, and are deleted there.',
    in: 'blobsProblem',
    text: 'blob.outside.incarnation !== incarnation || isMoved',
    becomes: 'isMoved',
    tests: [CONTRACT],
  },
  {
    name: 'file-deleted-under-a-turn',
    breaks:
      'A file is deleted while a turn runs: what the model is shown then depends on which invocation asks it.',
    in: 'runningTurn',
    text: "state === 'suspended' ? null : turn",
    becomes: "state === 'suspended' ? turn : null",
    tests: [CONTRACT],
  },
  {
    name: 'signed-links',
    breaks: "A signed address of a file reads the same file of anybody's session.",
    in: 'signedText',
    text: 'toSessionName(session), file, expires',
    becomes: 'session.agent, file, expires',
    tests: ['test/gate/workerd/modules/files/signed-links.test.ts'],
  },
  {
    name: 'expired-links',
    breaks: 'A signed address of a file is valid for ever.',
    in: 'readLink',
    text: 'if (left <= 0)',
    becomes: 'if (left <= -Infinity)',
    tests: ['test/gate/workerd/modules/files/signed-links.test.ts'],
  },
  {
    name: 'words-for-people',
    breaks: 'A page shows what a provider says of its failure, which may hold secrets of the inside.',
    in: 'defaultText',
    text: 'INTERNAL_TYPES.has(type) ||',
    becomes: '',
    tests: ['test/gate/workerd/surfaces/tell.test.ts'],
  },
  {
    name: 'fork-repeats',
    breaks: 'A fork leaves out calls that had effects, nobody is asked, and its model makes them again.',
    in: 'forkSession',
    text: 'if (calls.length > 0 && !repeatEffects)',
    becomes: 'if (calls.length < 0 && !repeatEffects)',
    tests: [FORKS],
  },
  {
    name: 'fork-open-calls',
    breaks: 'A call that runs where a session is forked does not count as one that the fork leaves out.',
    in: 'CutOff.read',
    text: "if (call) call.isEffect = event.effect === 'once' || event.effect === 'idempotent';",
    becomes:
      "if (call) call.isEffect = !isShown && (event.effect === 'once' || event.effect === 'idempotent');",
    tests: [FORKS],
  },
  {
    name: 'fork-told',
    breaks: 'A fork of a fork does not know what the first one has cut off, and does it again.',
    in: 'CutOff.read',
    text: 'if (!isShown && event.as.startsWith(FORK_MESSAGE_PREFIX))',
    becomes: 'if (!isShown && event.as === FORK_MESSAGE_PREFIX)',
    tests: [FORKS],
  },
  {
    name: 'fork-waits',
    breaks: 'A call that waited for a decision is not said to be declined where its session is forked.',
    in: 'closeCallsAtCut',
    text: "return { ...end, result: failureResult('declined', words) };",
    becomes: 'return end;',
    tests: [COPYING],
  },
  {
    name: 'fork-lease',
    breaks:
      'A fork with many files loses its lease while they are copied, and begins to copy again for ever.',
    in: 'Copy.#keep',
    text: 'await this.#port.renew(this.#leased.epoch);',
    becomes: '',
    tests: [COPYING],
  },
  {
    name: 'fork-note',
    breaks: 'A session does not list its forks.',
    in: 'Copy.run',
    text: 'await this.#note(first);',
    becomes: '',
    tests: [COPYING],
  },
  {
    name: 'retry-answered',
    breaks: 'A message that was answered is tried again: all that its turn did is done once more.',
    in: 'findUnansweredTurn',
    text: 'if (last && !ANSWERED_OUTCOMES.has(last.outcome))',
    becomes: "if (last && !ANSWERED_OUTCOMES.has(last.outcome + '!'))",
    tests: [RETRY],
  },
  {
    name: 'retry-key',
    breaks: 'A retry whose answer was lost, and that is sent again under its key, is a second turn.',
    in: 'retryTurn',
    text: "known ?? (await deriveTurnId('turn', failed.turn))",
    becomes: 'at.host.newId()',
    tests: [RETRY],
  },
  {
    name: 'index-owner',
    breaks: 'Whoever names another owner in a query is shown its sessions, and what it has used.',
    in: 'requestedOwner',
    text: 'mustBeOperator(caller);',
    becomes: '',
    tests: ['test/gate/workerd/modules/index/lists.test.ts'],
  },
  {
    name: 'operator-journaled',
    breaks: 'An operator reads a full session of an owner, and no journal keeps that.',
    in: 'recordAccess',
    text: 'if (!ALLOWED_WITHOUT_EVENT.includes(access.action))',
    becomes: 'if (false as boolean)',
    tests: ['test/gate/workerd/modules/operators/operators.test.ts'],
  },
  {
    name: 'operator-decides',
    breaks: 'An operator decides what waits for the owner of a session.',
    in: 'assertDecidesByRole',
    text: "if (wait.for !== 'decision' || wait.by === undefined) throw waitsForOwnerError(named.call);",
    becomes: "if (wait.for !== 'decision') continue;",
    tests: ['test/gate/workerd/modules/operators/operators.test.ts'],
  },
  {
    name: 'limits-over',
    breaks: 'An owner has one turn a day more than its limit, and with each of its requests another one.',
    in: 'Allowances.#whyOverDay',
    text: 'turns !== undefined && used.turns >= turns',
    becomes: 'turns !== undefined && used.turns > turns',
    tests: ['test/gate/workerd/modules/owner-limits/refusals.test.ts'],
  },
  {
    name: 'limits-settled',
    breaks: 'A report that comes twice gives an owner back twice what a turn did not use.',
    in: 'Allowances.settle',
    text: "own?.state === 'settled'",
    becomes: 'false',
    tests: ['test/gate/workerd/modules/owner-limits/allowances.test.ts'],
  },
  {
    name: 'index-erasing',
    breaks:
      'Sessions of an owner that is being erased begin all the same: what was to be gone is there again.',
    in: 'IndexObject.isErasing',
    text: "typeof this.#tables.about()?.erasing === 'number'",
    becomes: 'false',
    tests: ['test/gate/workerd/modules/index/erase-owner.test.ts'],
  },
];
