export { EventParser } from '../../src/client/event-parser.ts';
