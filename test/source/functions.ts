import {
  type ArrowFunctionExpression,
  type AssignmentTargetMaybeDefault,
  type BindingPattern,
  type Class,
  type Expression,
  type Function as FunctionNode,
  type PropertyKey,
  type VariableDeclarator,
  Visitor,
} from 'oxc-parser';
import type { Source } from './parse-source.ts';

/** A range of a text, from its first character to the character after its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A function with a body. Its range begins with its name, or with its first word if it has no name. */
export interface SourceFunction extends Span {
  /** `null` if it has no name, such as a callback. */
  readonly name: string | null;
  /** The names of the classes, constants, properties and functions around it, the outermost first. */
  readonly owners: readonly string[];
  /** The number of its parameters. A destructured object counts as one. */
  readonly parameters: number;
  readonly lines: number;
}

/**
 * Returns all functions of a file in order, at any depth: function declarations, methods, accessors,
 * constructors, constants and properties with a function, and callbacks. Skips overloads and interface members,
 * which have no body.
 */
export function collectFunctions({ program, text }: Source): SourceFunction[] {
  const found: SourceFunction[] = [];
  /** The declaration, constant, property or method that names a function. The function's range starts there. */
  const holders = new Map<object, Holder>();
  const owners: string[] = [];
  const enterNode = ({ start, end, key, value }: NamingNode): void => {
    const name = findKeyName(key);
    if (name === undefined) return;
    owners.push(name);
    if (value) holders.set(value, { name, start: key?.start ?? start, end });
  };
  const leave = ({ key }: NamingNode): void => {
    if (findKeyName(key) !== undefined) owners.pop();
  };
  const add = (node: FunctionNode | ArrowFunctionExpression): void => {
    const holder = holders.get(node);
    const { start, end } = holder ?? node;
    found.push({
      name: holder?.name ?? null,
      owners: holder ? owners.slice(0, -1) : [...owners],
      start,
      end,
      parameters: node.params.length,
      lines: text.slice(start, end).split('\n').length,
    });
  };
  new Visitor({
    ClassDeclaration: (node) => enterNode(toDeclarationNode(node)),
    'ClassDeclaration:exit': (node) => leave(toDeclarationNode(node)),
    ClassExpression: (node) => enterNode(toDeclarationNode(node)),
    'ClassExpression:exit': (node) => leave(toDeclarationNode(node)),
    FunctionDeclaration: (node) => {
      enterNode(toDeclarationNode(node));
      add(node);
    },
    'FunctionDeclaration:exit': (node) => leave(toDeclarationNode(node)),
    VariableDeclarator: (node) => enterNode(toConstantNode(node)),
    'VariableDeclarator:exit': (node) => leave(toConstantNode(node)),
    MethodDefinition: (node) => enterNode(toMemberNode(node)),
    'MethodDefinition:exit': (node) => leave(toMemberNode(node)),
    PropertyDefinition: (node) => enterNode(toMemberNode(node)),
    'PropertyDefinition:exit': (node) => leave(toMemberNode(node)),
    Property: (node) => enterNode(toMemberNode(node)),
    'Property:exit': (node) => leave(toMemberNode(node)),
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(program);
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

interface Holder extends Span {
  readonly name: string;
}

/** A node that can give a function its name. */
interface NamingNode extends Span {
  readonly key: PropertyKey | BindingPattern | null;
  readonly value: object | null;
}

const toDeclarationNode = (node: FunctionNode | Class): NamingNode => ({
  ...toSpan(node),
  key: node.id,
  value: node,
});

const toConstantNode = (node: VariableDeclarator): NamingNode => ({
  ...toSpan(node),
  key: node.id,
  value: unwrapType(node.init),
});

type Member = Span & {
  readonly key: PropertyKey;
  readonly computed: boolean;
  readonly value: Expression | FunctionNode | BindingPattern | AssignmentTargetMaybeDefault | null;
};

const toMemberNode = (node: Member): NamingNode => ({
  ...toSpan(node),
  key: node.computed ? null : node.key,
  value: unwrapType(node.value),
});

const toSpan = ({ start, end }: Span): Span => ({ start, end });

/** A private name includes its `#`. Computed and destructured names are ignored. */
function findKeyName(key: NamingNode['key']): string | undefined {
  if (key?.type === 'Identifier') return key.name;
  if (key?.type === 'PrivateIdentifier') return `#${key.name}`;
  return key?.type === 'Literal' ? String(key.value) : undefined;
}

/** Returns a value without `as` and `satisfies`. */
function unwrapType(value: Member['value']): Member['value'] {
  const isTyped = value?.type === 'TSAsExpression' || value?.type === 'TSSatisfiesExpression';
  return isTyped ? unwrapType(value.expression) : value;
}

/**
 * Returns the functions of this name. `Owner.name` finds those inside the class, constant or function `Owner`,
 * at any depth.
 */
export function findFunctions(source: Source, name: string): SourceFunction[] {
  const parts = name.split('.');
  const own = parts.pop();
  return collectFunctions(source).filter((one) => one.name === own && isInside(one.owners, parts));
}

/** Returns `true` if the parts occur among the owners in this order. */
function isInside(owners: readonly string[], parts: readonly string[]): boolean {
  let next = 0;
  for (const owner of owners) if (owner === parts[next]) next += 1;
  return next === parts.length;
}
