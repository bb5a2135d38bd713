import type { CatalogueLeaf } from '../../src/examples/catalogue/catalogue.ts';
import type { Api, ApiRequest } from '../../src/examples/catalogue/operation-tool.ts';

/** An API in this process that takes everything and writes it down. */
export interface FakeApi {
  readonly api: Api;
  readonly requests: readonly ApiRequest[];
}

export function fakeApi(): FakeApi {
  const requests: ApiRequest[] = [];
  const api: Api = (request) => {
    requests.push(request);
    return { ok: true, method: request.method, path: request.path };
  };
  return { api, requests };
}

/** Whether a request is one of this operation, by its method and the shape of its path. */
export function isFor({ method, path }: ApiRequest, { operation }: CatalogueLeaf): boolean {
  const pattern = operation.path
    .split(/\{[^{}]+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^{}]+');
  return method === operation.method && new RegExp(`^${pattern}$`).test(path);
}
