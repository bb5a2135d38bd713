/**
 * The behaviours of the specification that this part of the library answers for: how many each section numbers. The
 * sections on unfolding, playbooks, state machines, chaining, subagents, MCP and introspection are not among them.
 */
export const SECTIONS: Readonly<Record<string, number>> = {
  TOOL: 22,
  RES: 5,
  CTX: 14,
  ONE: 10,
  DEC: 26,
  TYP: 10,
  ANN: 15,
  PRN: 8,
  LOOP: 22,
  TNF: 8,
  PAR: 11,
  EMP: 5,
  CBK: 9,
  SIG: 3,
  TGR: 9,
  COM: 6,
  AST: 2,
  AET: 9,
  AEV: 9,
  AEA: 13,
  AEP: 11,
  AEL: 10,
  SPA: 10,
  SPM: 19,
};

/** Ids that need a kind of tool which is not built yet. */
export const LATER: Readonly<Record<string, string>> = {
  'ANN-05': 'needs unfolding tools',
  'PRN-06': 'needs chaining',
};

/** Ids that do not apply, and what stands in their place. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {};
