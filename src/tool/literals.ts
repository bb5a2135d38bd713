import { findAppProblem } from './app-literals.ts';
import { attempt } from './async.ts';
import {
  findInnerFault,
  findLiteralFault,
  findModelProblem,
  findNearestKey,
  type InnerFault,
  type InnerShape,
  type LiteralFault,
  type LiteralShape,
} from './check-literal.ts';
import {
  CONVERTER_ADVICE,
  createMisplacedHint,
  describeDuplicateTool,
  describeListedTool,
  describeSchemaProblem,
  FIXES,
  findDiscoverProblem,
  findFilesProblem,
  findSharedWrites,
  formatInspectorLine,
  formatLogEntry,
  formatLostValueAdvice,
  formatToolRenameAdvice,
  isAnswersPath,
  OFFLINE_MODEL_ADVICE,
  REFUSING_OPTIONS,
  RUN_ADVICE,
  reconcileAnswerProblem,
  reconcileProblem,
  refuseAsExport,
} from './developer-hints.ts';
import { INNER_SHAPES, LITERAL_SHAPES } from './kernel-literals.ts';
import { findAgentFault, findPolicyProblem } from './loop-literals.ts';
import { findAdapterProblem, findPartsProblem, findServerProblem } from './model-literals.ts';
import { findUnreadableProblem, getClass, getClassName, hasToolMembers } from './object-class.ts';
import { findByPrefix } from './shown.ts';
import { findMisfit } from './step-literals.ts';
import { findChainsProblem, findUsesProblem, NOTHING_TO_CHAIN_MESSAGE } from './use-literals.ts';

/** The name of a kernel literal, or the shape of a feature's. */
export type LiteralOf = keyof typeof LITERAL_SHAPES | LiteralShape;

/** The name of a kernel literal's inner literal, or the shape of a feature's. */
export type InnerLiteralOf = keyof typeof INNER_SHAPES | InnerShape;

const CHECKS = {
  /** Throws an error of this class if there is a problem. */
  refuse(kind: new (problem: string) => Error, problem: string | undefined): void {
    if (problem !== undefined) throw new kind(problem);
  },

  /** Returns the first problem of a literal, or `undefined`. */
  fault: (config: unknown, of: LiteralOf): LiteralFault | undefined =>
    findLiteralFault(config, typeof of === 'string' ? LITERAL_SHAPES[of] : of),

  /** Returns the first problem of a literal inside another, or `undefined`. */
  innerFault: (given: unknown, of: InnerLiteralOf): InnerFault | undefined =>
    findInnerFault(given, typeof of === 'string' ? INNER_SHAPES[of] : of),

  /** Returns the problem of a value that is not a model, or `undefined`. */
  modelProblem: findModelProblem,

  appProblem: findAppProblem,

  adapterProblem: findAdapterProblem,

  serverProblem: findServerProblem,

  partsProblem: findPartsProblem,

  reconcileProblem,

  sharedWrites: findSharedWrites,

  misplacedRequests: createMisplacedHint,

  isOfAnswers: isAnswersPath,

  discoverProblem: findDiscoverProblem,

  toRun: RUN_ADVICE,

  toDevelop: OFFLINE_MODEL_ADVICE,

  mendLost: formatLostValueAdvice,

  misreconciled: reconcileAnswerProblem,

  filesProblem: findFilesProblem,

  inspectedInWords: formatInspectorLine,

  inWords: formatLogEntry,

  mending: FIXES,

  agentFault: findAgentFault,

  policyProblem: findPolicyProblem,

  usesProblem: findUsesProblem,

  chainsProblem: findChainsProblem,

  nothingToChain: NOTHING_TO_CHAIN_MESSAGE,

  misfitOf: findMisfit,

  listedMistake: describeListedTool,

  broughtTwice: describeDuplicateTool,

  renameOne: formatToolRenameAdvice,

  unchainedProblem: findUnchainedProblem,

  /** Returns the warning about routes that are mounted at another path than `basePath`, or `undefined`. */
  mountedElsewhere: (mounted: string, basePath: string): string | undefined =>
    basePath.endsWith(mounted)
      ? undefined
      : `requests arrive below '${mounted}', but links lead below '${basePath}', the basePath of createHoldfast({ http }). ` +
        'Remove `basePath`, unless a proxy before this Worker rewrites paths.',

  convertible: CONVERTER_ADVICE,

  noSchema: describeSchemaProblem,

  refuseAsExport,

  refusing: REFUSING_OPTIONS,

  /** Returns the end of an error about an unknown word: a suggestion, if a similar word exists. */
  meantWord(given: string, words: readonly string[]): string {
    const meant = findByPrefix(given, words);
    return meant === undefined ? '' : ` Did you mean '${meant}'?`;
  },

  /** Returns the known name that an unknown name probably means, or `undefined`. */
  meant: (name: string, names: Iterable<string>): string | undefined => findNearestKey(name, [...names]),
};

/**
 * The checks of literals. `undefined` in production, where bundlers drop them and their tables, since the
 * same code has already run in development. Bundlers drop code only if this file alone refers to it, so other
 * kernel files do not read `process.env.NODE_ENV`, except local mode (`src/worker/auth.ts`). The checks do
 * not protect effects or secrets, and do not check values from an environment or the network.
 */
export let literals: typeof CHECKS | undefined;
try {
  literals = process.env.NODE_ENV !== 'production' ? CHECKS : undefined;
} catch {
  // Without `process`, and without a bundler that replaces it, the code runs as in production.
}

/**
 * Returns a problem if a tool returns an object whose methods are tools, or a list of such objects. Otherwise
 * returns `undefined`.
 */
export function findUnchainedProblem(tool: string, answered: unknown): string | undefined {
  const values: readonly unknown[] = Array.isArray(answered)
    ? answered.slice(0, MAX_CHECKED_ITEMS)
    : [answered];
  const object = values.find((one) => typeof one === 'object' && one !== null && hasTools(one));
  if (object === undefined) return undefined;
  const name = getClassName(getClass(Object(object)));
  return (
    `Tool '${tool}' returned an instance of ${name}, whose methods are tools. They are not offered, since results are stored as JSON. To chain it, ` +
    `declare its type: defineDomainType({ name: '${name}', schema, tools: (value) => toolsOf(new ${name}(value)) }). ` +
    `Name that as the 'output' of '${tool}', and chain it with chainFrom from 'holdfast/kinds'.`
  );
}

/** The number of items checked in a long list. */
const MAX_CHECKED_ITEMS = 10;

/** Returns whether the class of an object has tools. Skips bytes, which have a property for each element. */
function hasTools(object: object): boolean {
  if (ArrayBuffer.isView(object)) return false;
  const isDeclared = (): boolean => hasToolMembers(object) || findUnreadableProblem(object) !== undefined;
  const found = attempt(() => getClass(object) !== object && isDeclared());
  return found.ok && found.value;
}
