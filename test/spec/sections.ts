/**
 * The behaviours of the specification that the library answers for: how many each section numbers. The
 * section on MCP is not among them.
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
  SUB: 11,
  AGT: 12,
  PLY: 12,
  STM: 12,
  CHN: 17,
  UNF: 34,
  INJ: 9,
  TPR: 17,
  LOOP: 22,
  TNF: 8,
  PAR: 11,
  EMP: 5,
  CBK: 9,
  SIG: 3,
  TGR: 9,
  PRC: 6,
  BLK: 6,
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

/** Ids that do not apply, and what stands in their place. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {};
