/** A door for tests. Requests, and answers as streams. */
export { createApp } from '../../src/http/app.ts';
export { readBytes } from '../../src/http/body.ts';
export { defineRoute, type HttpHost, type Route, type SessionRequest } from '../../src/http/route.ts';
export { type EventStream, eventStream } from '../../src/http/sse.ts';
