import type { Holdfast } from '../../../../src/create-holdfast.ts';

/** The app, for tools that send messages to other sessions. It is set after the app is created. */
export const peers: { app?: Holdfast } = {};
