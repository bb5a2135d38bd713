import { appProblem } from './app-literals.ts';
import { attempt } from './async.ts';
import {
  type InnerFault,
  type InnerShape,
  innerFault,
  type LiteralFault,
  type LiteralShape,
  literalFault,
  modelProblem,
  nearestKey,
} from './check-literal.ts';
import {
  broughtTwice,
  convertible,
  discoverProblem,
  filesProblem,
  inspectedInWords,
  inWords,
  isOfAnswers,
  listedMistake,
  mending,
  mendLost,
  misplacedRequests,
  misreconciled,
  noSchema,
  reconcileProblem,
  refuseAsExport,
  refusing,
  renameOne,
  sharedWrites,
  toDevelop,
  toRun,
} from './developer-hints.ts';
import { INNER_SHAPES, SHAPES } from './kernel-literals.ts';
import { agentFault, policyProblem } from './loop-literals.ts';
import { adapterProblem, partsProblem, serverProblem } from './model-literals.ts';
import { isReadable, nameOf, ownerOf, unreadable } from './object-class.ts';
import { meantBy } from './shown.ts';
import { misfitOf } from './step-literals.ts';
import { chainsProblem, nothingToChain, usesProblem } from './use-literals.ts';

/** A literal of the kernel by its name, or the shape of a feature's. */
export type LiteralOf = keyof typeof SHAPES | LiteralShape;

/** A literal inside one of the kernel's by its name, or the shape of a feature's. */
export type InnerLiteralOf = keyof typeof INNER_SHAPES | InnerShape;

const CHECKS = {
  /** Throws an error of this class if there is a problem. */
  refuse(kind: new (problem: string) => Error, problem: string | undefined): void {
    if (problem !== undefined) throw new kind(problem);
  },

  /** Returns the first problem of a literal, or `undefined`. */
  fault: (config: unknown, of: LiteralOf): LiteralFault | undefined =>
    literalFault(config, typeof of === 'string' ? SHAPES[of] : of),

  /** Returns the first problem of a literal inside another, or `undefined`. */
  innerFault: (given: unknown, of: InnerLiteralOf): InnerFault | undefined =>
    innerFault(given, typeof of === 'string' ? INNER_SHAPES[of] : of),

  /** Returns why a value is no model, or `undefined`. */
  modelProblem,

  appProblem,

  adapterProblem,

  serverProblem,

  partsProblem,

  reconcileProblem,

  sharedWrites,

  misplacedRequests,

  isOfAnswers,

  discoverProblem,

  toRun,

  toDevelop,

  mendLost,

  misreconciled,

  filesProblem,

  inspectedInWords,

  inWords,

  mending,

  agentFault,

  policyProblem,

  usesProblem,

  chainsProblem,

  nothingToChain,

  misfitOf,

  listedMistake,

  broughtTwice,

  renameOne,

  unchainedProblem,

  /** Returns the warning about routes that are mounted elsewhere than `basePath` says, or `undefined`. */
  mountedElsewhere: (mounted: string, basePath: string): string | undefined =>
    basePath.endsWith(mounted)
      ? undefined
      : `requests come in below '${mounted}', and links lead below '${basePath}', as createHoldfast({ http: { basePath } }) says. ` +
        'Leave `basePath` out, unless something before this Worker rewrites paths.',

  convertible,

  noSchema,

  refuseAsExport,

  refusing,

  /** Returns the end of an error about a word that is none of these: the one that was probably meant, if any. */
  meantWord(given: string, words: readonly string[]): string {
    const meant = meantBy(given, words);
    return meant === undefined ? '' : ` Did you mean '${meant}'?`;
  },

  /** Returns the name that was probably meant by an unknown one, or `undefined`. */
  meant: (name: string, names: Iterable<string>): string | undefined => nearestKey(name, [...names]),
};

/**
 * The checks of literals; `undefined` in production, where a bundler leaves them and their tables out: the same code ran in development. It
 * drops what this file alone refers to, so no other file of the kernel says `process.env.NODE_ENV` but that of local mode
 * (`src/worker/auth.ts`). They check nothing that protects an effect or a secret, or that comes from an environment or the network.
 */
export let literals: typeof CHECKS | undefined;
try {
  literals = process.env.NODE_ENV !== 'production' ? CHECKS : undefined;
} catch {
  // No `process`, and no bundler that has put a value in its place: as in production.
}

/** Returns what is wrong if a tool answers an object whose methods are tools, or a list of such, or `undefined`. */
export function unchainedProblem(tool: string, answered: unknown): string | undefined {
  const values: readonly unknown[] = Array.isArray(answered) ? answered.slice(0, MAX_LOOKED_AT) : [answered];
  const object = values.find((one) => typeof one === 'object' && one !== null && hasTools(one));
  if (object === undefined) return undefined;
  const name = nameOf(ownerOf(Object(object)));
  return (
    `Tool '${tool}' returned an object of ${name}, whose methods are tools. They are not offered, since it is kept as JSON. To chain it, ` +
    `declare its type: defineDomainType({ name: '${name}', schema, tools: (value) => toolsOf(new ${name}(value)) }). ` +
    `Name that as the 'output' of '${tool}', and chain it with chainFrom of 'holdfast/kinds'.`
  );
}

/** Of a long list, so many are looked at. */
const MAX_LOOKED_AT = 10;

/** Tells an object of a class with tools; bytes have a property for each. */
function hasTools(object: object): boolean {
  if (ArrayBuffer.isView(object)) return false;
  const isDeclared = (): boolean => isReadable(object) || unreadable(object) !== undefined;
  const found = attempt(() => ownerOf(object) !== object && isDeclared());
  return found.ok && found.value;
}
