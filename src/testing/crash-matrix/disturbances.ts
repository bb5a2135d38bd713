import type { Mode } from './course.ts';

/** The disturbances of DESIGN 9, and the ways in which each is done. */
export const DISTURBANCES = {
  'cold fold': ['cold-fold'],
  'lost acknowledgement': ['lost-acknowledgement'],
  restart: ['restart'],
  abandoned: ['rejects', 'hangs'],
  zombie: ['zombie-at-once', 'zombie-amid', 'zombie-later'],
} as const satisfies Readonly<Record<string, readonly Mode[]>>;

export type DisturbanceName = keyof typeof DISTURBANCES;

/** Every mode, in the order of the table. */
export const MODES: readonly Mode[] = Object.values(DISTURBANCES).flat();

const NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]; // the keys of the literal

/** The disturbance that a mode is a way of. */
export function nameOf(mode: Mode): DisturbanceName {
  const name = NAMES.find((one) => (DISTURBANCES[one] as readonly Mode[]).includes(mode)); // of one of them alone
  if (!name) throw new Error(`There is no mode '${mode}'.`);
  return name;
}
