import type { CatalogLeaf } from '../../src/examples/catalog/catalog.ts';
import type { Api, ApiRequest } from '../../src/examples/catalog/operation-tool.ts';

/** An API in this process that accepts and records every request. */
export interface FakeApi {
  readonly api: Api;
  readonly requests: readonly ApiRequest[];
}

export function createFakeApi(): FakeApi {
  const requests: ApiRequest[] = [];
  const answerRequest: Api = (request) => {
    requests.push(request);
    return { ok: true, method: request.method, path: request.path };
  };
  return { api: answerRequest, requests };
}

/** Returns `true` if a request matches this operation by method and path. */
export function isFor({ method, path }: ApiRequest, { operation }: CatalogLeaf): boolean {
  const pattern = operation.path
    .split(/\{[^{}]+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^{}]+');
  return method === operation.method && new RegExp(`^${pattern}$`).test(path);
}
