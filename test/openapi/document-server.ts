import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtinResources } from '../../src/apiserver/resource/builtin-resources.ts'
import { createDiscovery, type DiscoveryAnswer } from '../../src/apiserver/discovery/discovery.ts'
import { negotiateOpenApiV2 } from '../../src/apiserver/openapi/negotiate.ts'
import { openApiFactory } from '../../src/apiserver/openapi/openapi.ts'
import type { ServedResource } from '../../src/apiserver/resource/served-resource.ts'

const data = (file: string) => JSON.parse(readFileSync(new URL(`../../schemas/${file}`, import.meta.url), 'utf8'))
const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex').toUpperCase()

export const widgets: ServedResource = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  listKind: 'WidgetList',
  singular: 'widget',
  namespaced: true,
  shortNames: ['wd'],
  custom: true,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: [
    { name: 'status', group: 'example.com', version: 'v1', kind: 'Widget', verbs: ['get', 'patch', 'update'] },
    { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
  ],
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 1 },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          note: { type: 'string', nullable: true, default: 'none' },
          color: { type: 'string', enum: ['red', 'blue'] },
        },
      },
    },
  },
}

export interface Seen {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly contentType: string
}

export interface DocumentServer {
  readonly port: number
  readonly seen: Seen[]
  readonly close: () => void
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

const json = (body: string): Answer => ({ status: 200, contentType: 'application/json', body })
const page = (answer: DiscoveryAnswer | undefined): Answer | undefined => answer && { ...answer, status: 200 }
const MISSING: Answer = {
  ...json(
    '{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"not found"}',
  ),
  status: 404,
}

/** Serves discovery and OpenAPI as the API server will; writes are echoed, reads of objects are not found. */
export async function documentServer(): Promise<DocumentServer> {
  const naming = {
    pods: { shortNames: ['po'], categories: ['all'] },
    namespaces: { shortNames: ['ns'] },
    configmaps: { shortNames: ['cm'] },
    'deployments.apps': { shortNames: ['deploy'], categories: ['all'] },
  }
  const resources = [...builtinResources(data('kubernetes-1.36-resources.json'), naming), widgets]
  const discovery = createDiscovery({ resources, serverAddress: '127.0.0.1', hash })
  const openApi = openApiFactory({
    definitions: data('kubernetes-1.36-definitions.json').definitions,
    messages: data('openapi-v2-protobuf.json').messages,
    version: 'v1.36.0',
    hash,
  })(resources)
  const seen: Seen[] = []

  const answer = (request: IncomingMessage, body: string): Answer | undefined => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [root, first, second, third] = pathname.split('/').filter((part) => part !== '')
    const accept = request.headers.accept
    if (request.method !== 'GET') return { ...json(body), status: request.method === 'POST' ? 201 : 200 }
    if (pathname === '/version') return json('{"major":"1","minor":"36","gitVersion":"v1.36.0"}')
    if (pathname === '/api') return page(discovery.api(accept))
    if (pathname === '/apis') return page(discovery.apis(accept))
    if (root === 'api' && first !== undefined && second === undefined) return page(discovery.version('', first))
    if (root === 'apis' && first !== undefined && third === undefined)
      return page(second === undefined ? discovery.group(first) : discovery.version(first, second))
    if (pathname === '/openapi/v3') return json(openApi.v3Index().body)
    if (pathname === '/openapi/v2') {
      const { encoding, contentType } = negotiateOpenApiV2(accept)
      return encoding === 'json'
        ? json(openApi.v2Json().body)
        : { status: 200, contentType, body: openApi.v2Protobuf().body }
    }
    const document = openApi.v3(pathname.replace('/openapi/v3/', ''))
    return document && json(document.body)
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { method = '', url = '', headers } = request
      seen.push({ method, url, body, contentType: headers['content-type'] ?? '' })
      const { status, contentType, body: content } = answer(request, body) ?? MISSING
      response.writeHead(status, { 'content-type': contentType }).end(content)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    seen,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
