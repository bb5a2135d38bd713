/**
 * Internals for tests: the port to a model, its errors and prices, and parts of the adapters and the planner.
 */
export { createAiSdkModel } from '../../src/model/ai-sdk/from-ai-sdk.ts';
export { createDataParser, MAX_STREAM_BYTES } from '../../src/model/chat-completions/read-stream.ts';
export { createReplyAssembly } from '../../src/model/chat-completions/reply-assembly.ts';
export { ConfigurationError } from '../../src/model/configuration-error.ts';
export { fitFiles } from '../../src/model/given-to.ts';
export { getInitialTools } from '../../src/model/late-tools.ts';
export { createMessageSanitizer } from '../../src/model/message-gate.ts';
export { createOpenaiCompatible } from '../../src/model/openai-compatible/adapter.ts';
export type { Fetch } from '../../src/model/openai-compatible/ask-once.ts';
export { toRequestBody } from '../../src/model/openai-compatible/request-body.ts';
export { computeCost, roundUsd } from '../../src/model/prices.ts';
export { type RetryClock, withRetries } from '../../src/model/retry.ts';
export { readRequestLength } from '../../src/model/server-error.ts';
export { MAX_REPLY_LENGTH, withUniqueIds } from '../../src/model/untrusted-reply.ts';
export { createWorkersAi } from '../../src/model/workers-ai/workers-ai.ts';
export { fillForm } from '../../src/offline-model/answer-in-form.ts';
export { computeSimilarity as likeness } from '../../src/offline-model/fill-value.ts';
export { readMessageText } from '../../src/offline-model/memory.ts';
export { findMentions, readAbsentFacts, readFacts } from '../../src/offline-model/mentions.ts';
export { offlineNotice } from '../../src/offline-model/offline-model.ts';
export { readParams } from '../../src/offline-model/params.ts';
export { splitSteps } from '../../src/offline-model/steps.ts';
export { readToolCard } from '../../src/offline-model/tool-card.ts';
export { listChanges, toChange, toStem, toStems } from '../../src/offline-model/words.ts';
