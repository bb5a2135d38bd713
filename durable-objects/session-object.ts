import { DurableObject } from 'cloudflare:workers';
export class SessionObject extends DurableObject {}
