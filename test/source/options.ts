import type { ParamPattern, Statement, TSSignature, TSType } from 'oxc-parser';
import { findDeclaration } from './docstrings.ts';
import { resolveImport } from './imports.ts';
import type { Source } from './parse-source.ts';

/**
 * Matches the names of types of objects that users write as literals. The keys of these objects are options.
 */
const OPTIONS_NAME =
  /(?:Options?|Config|Declaration|Settings|Limits|Plan|Retention|Place|OnBehalfOf|WhenUnavailable|LaterMessage)$/;

type Library = ReadonlyMap<string, Source>;
type Declaration = Extract<Statement, { type: `${string}Declaration` }>;

/** The options of a function. */
export interface Options {
  /** The keys of its parameters that are objects of options. */
  readonly own: readonly string[];
  /** The keys of nested objects of options. */
  readonly inner: readonly string[];
}

/** Returns the options of an exported function. Other exports have none. */
export function collectOptions(name: string, entry: Source, library: Library): Options {
  const declared = findDeclaration(name, entry, library);
  const source = library.get(declared.file);
  const search = {
    library,
    keys: { own: new Set<string>(), inner: new Set<string>() },
    seen: new Set<string>(),
  };
  for (const param of source ? listParams(declared.name, source) : []) {
    if (source) collectType(findAnnotation(param), { ...search, source, depth: 'own' });
  }
  return { own: [...search.keys.own], inner: [...search.keys.inner] };
}

interface Search {
  readonly library: Library;
  readonly source: Source;
  readonly depth: keyof Options;
  readonly keys: Readonly<Record<keyof Options, Set<string>>>;
  readonly seen: Set<string>;
}

const listDeclarations = ({ program }: Source): Declaration[] =>
  program.body.flatMap((node) => {
    const one = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    return one?.type.endsWith('Declaration') ? (one as Declaration) : []; // its type ends with `Declaration`
  });

/** Returns the parameters of all overloads of a function. */
const listParams = (name: string, source: Source): ParamPattern[] =>
  source.program.body.flatMap((node) => {
    const one = node.type === 'ExportNamedDeclaration' ? node.declaration : undefined;
    if (one?.type === 'FunctionDeclaration' || one?.type === 'TSDeclareFunction')
      return one.id?.name === name ? one.params : [];
    if (one?.type !== 'VariableDeclaration') return [];
    return one.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && id.name === name && init?.type === 'ArrowFunctionExpression'
        ? init.params
        : [],
    );
  });

function findAnnotation(param: ParamPattern): TSType | undefined {
  const pattern = param.type === 'AssignmentPattern' ? param.left : param;
  return 'typeAnnotation' in pattern ? pattern.typeAnnotation?.typeAnnotation : undefined;
}

function collectType(type: TSType | undefined, search: Search): void {
  switch (type?.type) {
    case 'TSUnionType':
    case 'TSIntersectionType':
      for (const one of type.types) collectType(one, search);
      return;
    case 'TSTypeLiteral':
      collectMembers(type.members, search);
      return;
    case 'TSTypeReference':
      if (type.typeName.type === 'Identifier')
        collectReference(type.typeName.name, type.typeArguments?.params, search);
  }
}

function collectReference(name: string, given: readonly TSType[] = [], search: Search): void {
  const [inner, chosen] = given;
  if (name === 'Partial') collectType(inner, search);
  else if (name === 'Omit' || name === 'Pick')
    collectChosen(inner, { chosen, isKept: name === 'Pick' }, search);
  else if (OPTIONS_NAME.test(name)) collectNamed(name, search);
}

/** Collects the keys that a type retains after `Pick` or `Omit`. */
function collectChosen(type: TSType | undefined, { chosen, isKept }: Choice, search: Search): void {
  const named = listLiterals(chosen);
  const own = new Set<string>();
  collectType(type, { ...search, keys: { ...search.keys, [search.depth]: own }, seen: new Set() });
  for (const key of own) if (named.includes(key) === isKept) search.keys[search.depth].add(key);
}

interface Choice {
  readonly chosen: TSType | undefined;
  readonly isKept: boolean;
}

function listLiterals(type: TSType | undefined): string[] {
  if (type?.type === 'TSUnionType') return type.types.flatMap(listLiterals);
  return type?.type === 'TSLiteralType' && type.literal.type === 'Literal'
    ? [String(type.literal.value)]
    : [];
}

function collectMembers(members: readonly TSSignature[], search: Search): void {
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') continue;
    if (member.key.type === 'Identifier') search.keys[search.depth].add(member.key.name);
    if (member.type === 'TSPropertySignature')
      collectType(member.typeAnnotation?.typeAnnotation, { ...search, depth: 'inner' });
  }
}

/** Collects the keys of a type that this file declares or imports. */
function collectNamed(name: string, search: Search): void {
  const { source, library, seen } = search;
  const id = `${source.file} ${name}`;
  if (seen.has(id)) return;
  seen.add(id);
  for (const one of listDeclarations(source)) {
    if (one.type === 'TSTypeAliasDeclaration' && one.id.name === name)
      collectType(one.typeAnnotation, search);
    if (one.type === 'TSInterfaceDeclaration' && one.id.name === name) {
      collectMembers(one.body.body, search);
      for (const { expression, typeArguments } of one.extends)
        if (expression.type === 'Identifier')
          collectReference(expression.name, typeArguments?.params, search);
    }
  }
  for (const { moduleRequest, entries } of source.module.staticImports) {
    const imported = entries.find(({ localName }) => localName.value === name);
    const other = imported && library.get(resolveImport(source.file, moduleRequest.value));
    if (other) collectNamed(imported.importName.name ?? name, { ...search, source: other });
  }
}
