import type { Holdfast } from '../../../../src/create-holdfast.ts';

/** The app, once it is made, for tools of its agents that ask other sessions. */
export const peers: { app?: Holdfast } = {};
