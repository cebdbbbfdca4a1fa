import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { serviceProblem, type ServiceFacts } from './service-problem.ts'

const object = (kind: string, more: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x' },
  ...more,
})
const HTTPS = { name: 'https', port: 443, targetPort: 'tls' }
const service = (spec: object): KubeObject =>
  object('Service', { spec: { clusterIP: '10.0.0.1', ports: [HTTPS], ...spec } })
const pod = (...names: readonly string[]): KubeObject =>
  object('Pod', { spec: { containers: [{ name: 'c', ports: names.map((name) => ({ name, containerPort: 8443 })) }] } })
const slice = (ports: readonly object[] | null, endpoint: object = {}, more: object = {}): KubeObject =>
  object('EndpointSlice', {
    addressType: 'IPv4',
    ports,
    endpoints: [{ addresses: ['10.1.0.1'], ...endpoint }],
    ...more,
  })
const READY = slice([{ name: 'https', port: 8443 }])

const problemOf = (port: number, facts: Partial<ServiceFacts>): string => {
  const found = serviceProblem(port, {
    service: service({}),
    slices: [READY],
    endpoints: undefined,
    pods: undefined,
    ...facts,
  })
  return found === undefined ? '' : `${found.severity}: ${found.text}`
}

test.each<readonly [string, number, Partial<ServiceFacts>, string]>([
  ['its port has a ready address', 443, {}, ''],
  [
    'Endpoints say so',
    443,
    {
      slices: [],
      endpoints: object('Endpoints', {
        subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'https', port: 8443 }] }],
      }),
    },
    '',
  ],
  ['it does not exist', 443, { service: undefined }, 'error: does not exist'],
  ['it has other ports', 8443, {}, 'error: has no port 8443 (it has 443)'],
  ['it has no ports', 443, { service: service({ clusterIP: 'None', ports: undefined }) }, 'error: has no port 443'],
  [
    'its port is of another protocol',
    443,
    { service: service({ ports: [{ ...HTTPS, protocol: 'UDP' }] }) },
    'error: has port 443 for UDP alone',
  ],
  [
    'two protocols share the port',
    443,
    {
      service: service({
        ports: [
          { port: 443, name: 'quic', protocol: 'UDP' },
          { ...HTTPS, protocol: 'TCP' },
        ],
      }),
    },
    '',
  ],
  ['nothing answers', 443, { slices: [] }, 'error: has no address that is ready'],
  [
    'the only address is not ready',
    443,
    { slices: [slice([{ name: 'https', port: 1 }], { conditions: { ready: false } })] },
    'error: has no address that is ready',
  ],
  [
    'another port has an address',
    443,
    { slices: [slice([{ name: 'metrics', port: 1 }])] },
    'error: has no address that is ready for port 443',
  ],
  ['the slice has no ports', 443, { slices: [slice(null)] }, 'error: has no address that is ready for port 443'],
  [
    'addresses are names',
    443,
    { slices: [slice([{ name: 'https', port: 1 }], {}, { addressType: 'FQDN' })] },
    'error: has no address that is ready',
  ],
  [
    'no container has the target port',
    443,
    { slices: [slice(null)], pods: [pod('http')] },
    'error: sends port 443 to "tls", and no container of its pods has a port of that name',
  ],
  [
    'a container has the target port',
    443,
    { slices: [], pods: [pod('http'), pod('tls')] },
    'error: has no address that is ready',
  ],
  ['it has no pods', 443, { slices: [], pods: [] }, 'error: has no address that is ready'],
  [
    'it is headless',
    443,
    { service: service({ clusterIP: 'None' }) },
    'warning: is headless, and an API server reaches it only with --enable-aggregator-routing',
  ],
  [
    'it is an external name',
    8443,
    { service: service({ type: 'ExternalName' }), slices: [] },
    'note: is of type ExternalName, which an API server with --enable-aggregator-routing does not follow',
  ],
])('what keeps an API server from a Service: %s', (_, port, facts, problem) => {
  expect(problemOf(port, facts)).toBe(problem)
})
